/* Forecasts for the present load of hosts and links: a kernel, a parallel routine, their memory, and the network between two hosts.
 *
 *     cc now.c -I../include -lorrery -o now && ./now ../../../examples/four-hosts.json ../../../examples/now.json
 *
 * The second argument is a file with conditions, or the address of a service of orrery monitor serve.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery.h"

/* Ends the program with the message of the library unless a call was successful. */
static void check(enum orrery_status status)
{
    if (status != ORRERY_OK) {
        fprintf(stderr, "orrery: %s\n", orrery_error());
        exit(1);
    }
}

/* Prints the times of a product of matrices on n3, and on a grid of 2 x 2 processes on all hosts. */
static void print_times(const char *name, orrery_model model)
{
    orrery_prediction kernel = {.struct_size = sizeof kernel}, routine = {.struct_size = sizeof routine};
    check(orrery_kernel_time(model, "dgemm", NULL, 1000, 1000, 64, "n3", &kernel));
    check(orrery_routine_time(model, "lmo", "pdgemm", NULL, 2048, 2048, 2048, 2, 2, 64, NULL, &routine));
    printf("%s: dgemm on n3 %.1f ms (%.1f to %.1f), pdgemm %.2f s (%.2f to %.2f)\n", name, kernel.seconds * 1e3,
           kernel.low * 1e3, kernel.high * 1e3, routine.seconds, routine.low, routine.high);
}

/* Prints latency and bandwidth between n1 and n3 by a model. */
static void print_network(const char *name, orrery_model model)
{
    orrery_forecast latency = {.struct_size = sizeof latency}, bandwidth = {.struct_size = sizeof bandwidth};
    check(orrery_latency(model, "lmo", 0, 2, &latency));
    check(orrery_bandwidth(model, "lmo", 0, 2, 1 << 20, &bandwidth));
    printf("%s: n1 to n3 %.0f us, %.0f MB/s\n", name, latency.value * 1e6, bandwidth.value * 1e-6);
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: now MODEL CONDITIONS\n");
        return 1;
    }
    orrery_model model, now;
    orrery_conditions conditions;
    check(orrery_model_read(arguments[1], &model));
    if (strncmp(arguments[2], "http", 4) == 0)
        check(orrery_conditions_fetch(arguments[2], NULL, NULL, &conditions));
    else
        check(orrery_conditions_read(arguments[2], &conditions));
    check(orrery_model_now(model, conditions, &now));

    print_times("idle", model);
    print_times("now", now);
    print_network("idle", model);
    print_network("now", now);

    /* Nobody monitors the pair n1, n3: the links of the path between them count. */
    char path[256], warnings[1024];
    size_t needed;
    orrery_forecast monitored = {.struct_size = sizeof monitored};
    check(orrery_conditions_path(conditions, "n1", "n3", path, sizeof path, &needed));
    check(orrery_conditions_bandwidth(conditions, "n1", "n3", &monitored));
    printf("monitored along %s: %.0f MB/s (%.0f to %.0f)", path, monitored.value * 1e-6, monitored.low * 1e-6,
           monitored.high * 1e-6);
    check(orrery_conditions_latency(conditions, "n1", "n3", &monitored));
    printf(", %.0f us, %.0f s ago\n", monitored.value * 1e6, monitored.age);

    uint64_t of_kernel, of_routine;
    check(orrery_kernel_space(model, "dgemm", NULL, 1000, 1000, 64, "n3", &of_kernel));
    check(orrery_routine_space(model, "pdgemm", NULL, 2048, 2048, 2048, 2, 2, 64, NULL, NULL, &of_routine));
    printf("memory: dgemm %.1f MB, pdgemm %.1f MB on each host\n", (double)of_kernel * 1e-6, (double)of_routine * 1e-6);

    check(orrery_model_warnings(now, warnings, sizeof warnings, &needed));
    printf("%s\n", warnings);
    check(orrery_conditions_free(conditions));
    check(orrery_model_free(now));
    return orrery_model_free(model) != ORRERY_OK;
}
