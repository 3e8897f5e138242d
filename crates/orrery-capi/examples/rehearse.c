/* How long does an estimation use the network, and how exact is it? The case of the CPM papers: LMO of 16 processors with the
 * speeds of Gigabit Ethernet, simulated with 2 % noise.
 *
 *     cc rehearse.c -I../include -lorrery -lm -o rehearse && ./rehearse
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "orrery.h"

enum { PROCESSORS = 16, PAIRS = PROCESSORS * (PROCESSORS - 1) / 2 };

/* Ends the program with the message of the library unless a call was successful. */
static void check(enum orrery_status status)
{
    if (status != ORRERY_OK) {
        fprintf(stderr, "orrery: %s\n", orrery_error());
        exit(1);
    }
}

/* The mean relative error of the values of a parameter. */
static double error(orrery_model model, const char *name, size_t count, const double *truth)
{
    orrery_parameter found[PAIRS];
    size_t length;
    double sum = 0;
    check(orrery_model_parameter(model, "lmo", name, found, PAIRS, &length));
    for (size_t place = 0; place < count; place++)
        sum += fabs(found[place].value / truth[place] - 1);
    return sum / (double)count;
}

int main(void)
{
    double fixed_delay[PROCESSORS], byte_delay[PROCESSORS], link_latency[PAIRS], link_byte_delay[PAIRS];
    for (int i = 0; i < PROCESSORS; i++) {
        fixed_delay[i] = 40e-6 + 2.5e-6 * i;
        byte_delay[i] = 2e-9 + 0.5e-9 * (i % 3);
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        link_latency[pair] = 30e-6;
        link_byte_delay[pair] = 8e-9;
    }
    orrery_model truth;
    check(orrery_model_of_lmo(PROCESSORS, fixed_delay, byte_delay, link_latency, link_byte_delay, &truth));

    for (int brief = 1; brief >= 0; brief--) {
        orrery_estimation options = orrery_estimation_options();
        options.size = 16 << 10;
        options.brief = brief;
        orrery_model model;
        double seconds;
        check(orrery_estimate_simulated(truth, "lmo", 0.02, "lmo", &options, &model, &seconds));
        printf("%s: %.2f s of the network, fixed_delay %.1f %% off, link_byte_delay %.1f %%\n", brief ? "brief" : "usual",
               seconds, 100 * error(model, "fixed_delay", PROCESSORS, fixed_delay),
               100 * error(model, "link_byte_delay", PAIRS, link_byte_delay));
        check(orrery_model_free(model));
    }
    check(orrery_model_free(truth));
    return 0;
}
