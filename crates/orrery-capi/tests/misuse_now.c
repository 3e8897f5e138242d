/* Wrong calls of the functions about the present load are answered by a status and a message; threads share conditions. */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "orrery.h"

static const char MODEL[] =
    "{\"format\": \"orrery-model\", \"version\": 1, \"processors\": [{\"rank\": 0, \"host\": \"a\"}, {\"rank\": 1, \"host\": \"b\"}], "
    "\"models\": {\"lmo\": {\"fixed_delay\": {\"value\": [1e-5, 1e-5]}, \"byte_delay\": {\"value\": [1e-9, 1e-9]}, "
    "\"link_latency\": {\"value\": [2e-5]}, \"link_byte_delay\": {\"value\": [1e-8]}}}, "
    "\"kernels\": [{\"kernel\": \"dgemm\", \"variant\": \"nn\", \"host\": \"a\", \"library\": \"blas\", \"threads\": 1, "
    "\"operands\": \"warm\", \"level\": 0.95, \"measured\": {\"m\": [10, 100], \"n\": [10, 100], \"k\": [10, 100]}, "
    "\"pieces\": [{\"from\": 1, \"deviation\": 0.01, \"degrees\": 3, \"terms\": {\"mnk\": {\"value\": 1e-9, \"low\": 1e-9, "
    "\"high\": 1e-9, \"samples\": 9}}, \"correlations\": []}]}]}";

/* b is idle, and the link is half as fast as without load, from b to a. */
static const char NOW[] =
    "{\"format\": \"orrery-conditions\", \"version\": 1, \"time\": 1, \"hosts\": {\"a\": {\"availability\": {\"value\": 0.25}}}, "
    "\"links\": [{\"from\": \"b\", \"to\": \"a\", \"bandwidth\": {\"value\": 5e7, \"age\": 7}, \"idle_bandwidth\": 1e8}]}";

static const char ELSEWHERE[] =
    "{\"format\": \"orrery-conditions\", \"version\": 1, \"time\": 1, \"hosts\": {\"x\": {\"availability\": {\"value\": 1}}}}";

static orrery_conditions parsed(const char *text)
{
    orrery_conditions conditions;
    assert(orrery_conditions_parse(text, strlen(text), "now.json", &conditions) == ORRERY_OK);
    return conditions;
}

static void *ask(void *argument)
{
    orrery_conditions conditions = *(orrery_conditions *)argument;
    for (int call = 0; call < 2000; call++) {
        orrery_forecast forecast = {.struct_size = sizeof forecast};
        enum orrery_status status = orrery_conditions_bandwidth(conditions, "a", "b", &forecast);
        /* They are freed meanwhile. */
        if (status == ORRERY_HANDLE)
            break;
        assert(status == ORRERY_OK && forecast.value == 5e7);
    }
    return NULL;
}

static void wrong_conditions(void)
{
    orrery_conditions conditions, none = {0}, wrong = {~(uint64_t)0};
    orrery_forecast forecast = {.struct_size = sizeof forecast};
    char buffer[8];
    size_t needed;
    assert(orrery_conditions_read(NULL, &conditions) == ORRERY_NULL);
    assert(orrery_conditions_read("x.json", NULL) == ORRERY_NULL);
    assert(orrery_conditions_read("there/is/no/such.json", &conditions) == ORRERY_FILE && strstr(orrery_error(), "such.json"));
    assert(orrery_conditions_parse(NULL, 5, "x", &conditions) == ORRERY_NULL);
    assert(orrery_conditions_parse(MODEL, strlen(MODEL), "m.json", &conditions) == ORRERY_FILE);
    assert(strstr(orrery_error(), "m.json:1:1: ") && strstr(orrery_error(), "in place of conditions"));
    assert(orrery_conditions_fetch(NULL, NULL, NULL, &conditions) == ORRERY_NULL);
    assert(orrery_conditions_fetch("http://127.0.0.1:9", NULL, NULL, NULL) == ORRERY_NULL);
    assert(orrery_conditions_fetch("http://127.0.0.1:9", "\xff", NULL, &conditions) == ORRERY_ARGUMENT);
    assert(orrery_conditions_free(none) == ORRERY_HANDLE && strstr(orrery_error(), "no conditions: it is zero"));
    assert(orrery_conditions_free(wrong) == ORRERY_HANDLE);

    conditions = parsed(NOW);
    assert(orrery_conditions_bandwidth(wrong, "b", "a", &forecast) == ORRERY_HANDLE);
    assert(orrery_conditions_bandwidth(conditions, NULL, "a", &forecast) == ORRERY_NULL);
    assert(orrery_conditions_bandwidth(conditions, "b", "a", NULL) == ORRERY_NULL);
    assert(orrery_conditions_bandwidth(conditions, "b", "c", &forecast) == ORRERY_MODEL && strstr(orrery_error(), "from b to c"));
    assert(orrery_conditions_latency(conditions, "b", "a", &forecast) == ORRERY_MODEL && strstr(orrery_error(), "latency"));
    forecast.struct_size = 3;
    assert(orrery_conditions_bandwidth(conditions, "b", "a", &forecast) == ORRERY_ARGUMENT);
    forecast.struct_size = sizeof forecast;
    assert(orrery_conditions_bandwidth(conditions, "b", "a", &forecast) == ORRERY_OK);
    assert(forecast.value == 5e7 && isnan(forecast.low) && isnan(forecast.high) && forecast.age == 7 && forecast.alarms == 0);
    /* It was measured in the other direction. */
    assert(orrery_conditions_bandwidth(conditions, "a", "b", &forecast) == ORRERY_OK && forecast.alarms == 1);
    assert(orrery_conditions_path(conditions, "a", "b", NULL, 0, &needed) == ORRERY_CAPACITY && needed == 4);
    assert(orrery_conditions_path(conditions, "a", "b", buffer, sizeof buffer, NULL) == ORRERY_NULL);
    assert(orrery_conditions_path(conditions, "a", "x", buffer, sizeof buffer, &needed) == ORRERY_MODEL);
    assert(orrery_conditions_path(conditions, "a", "b", buffer, sizeof buffer, &needed) == ORRERY_OK && strcmp(buffer, "a b") == 0);

    pthread_t threads[8];
    for (int thread = 0; thread < 8; thread++)
        assert(pthread_create(&threads[thread], NULL, ask, &conditions) == 0);
    assert(orrery_conditions_free(conditions) == ORRERY_OK);
    for (int thread = 0; thread < 8; thread++)
        assert(pthread_join(threads[thread], NULL) == 0);
    assert(orrery_conditions_free(conditions) == ORRERY_HANDLE);
}

static void wrong_models(orrery_model model, orrery_model now)
{
    orrery_conditions conditions = parsed(NOW), elsewhere = parsed(ELSEWHERE), no_conditions = {0};
    orrery_model none = {0}, other;
    assert(orrery_model_now(none, conditions, &other) == ORRERY_HANDLE && strstr(orrery_error(), "no model"));
    assert(orrery_model_now(model, no_conditions, &other) == ORRERY_HANDLE && strstr(orrery_error(), "no conditions"));
    assert(orrery_model_now(model, conditions, NULL) == ORRERY_NULL);
    assert(orrery_model_now(model, elsewhere, &other) == ORRERY_MODEL && strstr(orrery_error(), "monitored are x"));
    /* The load would count twice. */
    assert(orrery_model_now(now, conditions, &other) == ORRERY_ARGUMENT);
    assert(orrery_conditions_free(conditions) == ORRERY_OK && orrery_conditions_free(elsewhere) == ORRERY_OK);
}

static void wrong_kernels(orrery_model model, orrery_model now)
{
    orrery_prediction idle = {.struct_size = sizeof idle}, loaded = {.struct_size = sizeof loaded};
    uint64_t space;
    assert(orrery_kernel_time(model, NULL, NULL, 50, 50, 50, "a", &idle) == ORRERY_NULL);
    assert(orrery_kernel_time(model, "dgemm", NULL, 50, 50, 50, NULL, &idle) == ORRERY_NULL);
    assert(orrery_kernel_time(model, "dgemm", NULL, 50, 50, 50, "a", NULL) == ORRERY_NULL);
    assert(orrery_kernel_time(model, "zzz", NULL, 50, 50, 50, "a", &idle) == ORRERY_ARGUMENT);
    assert(orrery_kernel_time(model, "dgemm", "xx", 50, 50, 50, "a", &idle) == ORRERY_ARGUMENT);
    assert(orrery_kernel_time(model, "dgemm", NULL, 0, 50, 50, "a", &idle) == ORRERY_ARGUMENT && strstr(orrery_error(), "m is 0"));
    assert(orrery_kernel_time(model, "dgemm", NULL, 50, 50, UINT64_MAX, "a", &idle) == ORRERY_ARGUMENT);
    assert(orrery_kernel_time(model, "dpotrf", NULL, 50, 50, 50, "a", &idle) == ORRERY_MODEL);
    assert(orrery_kernel_time(model, "dgemm", NULL, 50, 50, 50, "b", &idle) == ORRERY_MODEL && strstr(orrery_error(), "host b"));
    assert(orrery_kernel_space(model, "dgemm", NULL, 50, 50, 50, "a", NULL) == ORRERY_NULL);
    assert(orrery_kernel_space(model, "dgemm", NULL, 50, 50, 50, "a", &space) == ORRERY_OK && space == 3 * 8 * 2500);
    assert(orrery_kernel_time(model, "dgemm", NULL, 50, 50, 50, "a", &idle) == ORRERY_OK && idle.alarms == 0);
    assert(orrery_kernel_time(now, "dgemm", "nn", 50, 50, 50, "a", &loaded) == ORRERY_OK);
    assert(fabs(loaded.seconds - 4 * idle.seconds) < 1e-12);
    /* The load, and its missing interval. */
    assert(loaded.alarms == 2);
    assert(orrery_kernel_time(model, "dgemm", NULL, 50, 500, 5, "a", &idle) == ORRERY_OK && idle.alarms == 2);
}

static void wrong_routines(orrery_model model, orrery_model now)
{
    orrery_prediction idle = {.struct_size = sizeof idle}, loaded = {.struct_size = sizeof loaded};
    const size_t swapped[] = {1, 0}, twice[] = {1, 1}, outside[] = {0, 2}, huge[] = {(size_t)1 << 40, 0};
    uint64_t space, of_host;
    assert(orrery_routine_time(model, "lmo", NULL, NULL, 90, 90, 90, 1, 2, 10, NULL, &idle) == ORRERY_NULL);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, NULL) == ORRERY_NULL);
    assert(orrery_routine_time(model, "no-such", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "hockney", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, &idle) == ORRERY_MODEL);
    assert(orrery_routine_time(model, "lmo", "pdnone", NULL, 90, 90, 90, 1, 2, 10, NULL, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "lmo", "pdpotrf", NULL, 90, 90, 90, 1, 2, 10, NULL, &idle) == ORRERY_MODEL);
    assert(orrery_routine_time(model, "lmo", "pdgemm", "xx", 90, 90, 90, 1, 2, 10, NULL, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 0, 2, 10, NULL, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 0, NULL, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, UINT32_MAX, UINT32_MAX, 10, NULL, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 2, 2, 10, NULL, &idle) == ORRERY_ARGUMENT);
    assert(strstr(orrery_error(), "more than the processors of the model, 2"));
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, twice, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, outside, &idle) == ORRERY_ARGUMENT);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, huge, &idle) == ORRERY_ARGUMENT);
    /* b was not measured, and takes the kernels of a: an alarm. Both are equal, so that the order does not matter. */
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, &idle) == ORRERY_OK && idle.alarms > 0);
    assert(orrery_routine_time(model, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, swapped, &loaded) == ORRERY_OK);
    assert(fabs(loaded.seconds / idle.seconds - 1) < 1e-9);
    assert(orrery_routine_time(now, "lmo", "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, &loaded) == ORRERY_OK);
    assert(loaded.seconds > idle.seconds);
    assert(orrery_routine_space(model, "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, NULL, NULL) == ORRERY_NULL);
    assert(orrery_routine_space(model, "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, "c", &space) == ORRERY_ARGUMENT);
    assert(strstr(orrery_error(), "the processes are on a, b"));
    assert(orrery_routine_space(model, "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, NULL, &space) == ORRERY_OK);
    assert(orrery_routine_space(model, "pdgemm", NULL, 90, 90, 90, 1, 2, 10, NULL, "a", &of_host) == ORRERY_OK);
    /* Five blocks of ten columns of each matrix are on a, and four on b. */
    assert(space == 3 * 8 * 90 * 50 && of_host == space);
    assert(orrery_routine_space(model, "pdgemm", NULL, 90, 90, 90, 1, 2, 10, swapped, "a", &of_host) == ORRERY_OK);
    assert(of_host == 3 * 8 * 90 * 40);
}

static void wrong_grids(orrery_model model, orrery_model now)
{
    orrery_prediction best = {.struct_size = sizeof best}, same = {.struct_size = sizeof same};
    const uint64_t blocks[] = {10, 30}, none[] = {0};
    size_t processors[2], needed;
    orrery_grid grid;
#define CHOOSE(model, kind, routine, n, blocks, count, all, grid, capacity, best) \
    orrery_choose_grid(model, kind, routine, NULL, n, n, n, blocks, count, all, grid, processors, capacity, &needed, best)
    assert(CHOOSE(model, NULL, "pdgemm", 90, blocks, 2, false, &grid, 2, &best) == ORRERY_NULL);
    assert(CHOOSE(model, "lmo", NULL, 90, blocks, 2, false, &grid, 2, &best) == ORRERY_NULL);
    assert(CHOOSE(model, "lmo", "pdgemm", 90, NULL, 2, false, &grid, 2, &best) == ORRERY_NULL);
    assert(CHOOSE(model, "lmo", "pdgemm", 90, blocks, 2, false, NULL, 2, &best) == ORRERY_NULL);
    assert(CHOOSE(model, "lmo", "pdgemm", 90, blocks, 2, false, &grid, 2, NULL) == ORRERY_NULL);
    assert(CHOOSE(model, "lmo", "pdnone", 90, blocks, 2, false, &grid, 2, &best) == ORRERY_ARGUMENT);
    assert(CHOOSE(model, "lmo", "pdgemm", 0, blocks, 2, false, &grid, 2, &best) == ORRERY_ARGUMENT);
    assert(CHOOSE(model, "lmo", "pdgemm", 90, none, 1, false, &grid, 2, &best) == ORRERY_ARGUMENT);
    assert(CHOOSE(model, "lmo", "pdgemm", 90, blocks, 2, false, &grid, 0, &best) == ORRERY_CAPACITY && needed >= 1);
    /* The load of b is not known: it is no candidate, unless all are. */
    assert(CHOOSE(now, "lmo", "pdgemm", 90, blocks, 2, false, &grid, 2, &best) == ORRERY_OK);
    assert(needed == 1 && processors[0] == 0 && grid.rows == 1 && grid.columns == 1 && best.alarms > 0);
    const double known = best.seconds;
    assert(CHOOSE(now, "lmo", "pdgemm", 90, blocks, 2, true, &grid, 2, &best) == ORRERY_OK && best.seconds <= known);
    assert(orrery_routine_time(now, "lmo", "pdgemm", NULL, 90, 90, 90, grid.rows, grid.columns, grid.block, processors, &same) == ORRERY_OK);
    assert(same.seconds == best.seconds);
#undef CHOOSE
}

static void wrong_connections(orrery_model model, orrery_model now)
{
    orrery_forecast idle = {.struct_size = sizeof idle}, loaded = {.struct_size = sizeof loaded};
    assert(orrery_latency(model, NULL, 0, 1, &idle) == ORRERY_NULL);
    assert(orrery_latency(model, "lmo", 0, 1, NULL) == ORRERY_NULL);
    assert(orrery_latency(model, "hockney", 0, 1, &idle) == ORRERY_MODEL);
    assert(orrery_latency(model, "lmo", 0, 2, &idle) == ORRERY_ARGUMENT);
    assert(orrery_latency(model, "lmo", 1, 1, &idle) == ORRERY_ARGUMENT);
    assert(orrery_bandwidth(model, "lmo", 0, 1, 1, &idle) == ORRERY_ARGUMENT && strstr(orrery_error(), "2 bytes"));
    idle.struct_size = 0;
    assert(orrery_bandwidth(model, "lmo", 0, 1, 1000, &idle) == ORRERY_ARGUMENT);
    idle.struct_size = sizeof idle;
    assert(orrery_latency(model, "lmo", 0, 1, &idle) == ORRERY_OK && fabs(idle.value - 40e-6) < 1e-12 && isnan(idle.age));
    /* Per byte 1 ns at each processor, and 10 ns on the link or 20. */
    assert(orrery_bandwidth(model, "lmo", 0, 1, 1000000, &idle) == ORRERY_OK && fabs(idle.value * 12e-9 - 1) < 1e-9);
    assert(orrery_bandwidth(now, "lmo", 0, 1, 1000000, &loaded) == ORRERY_OK && fabs(loaded.value * 22e-9 - 1) < 1e-9);
}

int main(void)
{
    orrery_model model, now;
    orrery_conditions conditions = parsed(NOW);
    char warnings[512];
    size_t needed;
    assert(orrery_model_parse(MODEL, strlen(MODEL), "m.json", &model) == ORRERY_OK);
    assert(orrery_model_now(model, conditions, &now) == ORRERY_OK);
    assert(orrery_conditions_free(conditions) == ORRERY_OK);
    assert(orrery_model_warnings(now, warnings, sizeof warnings, &needed) == ORRERY_OK);
    assert(strcmp(warnings, "the load of b (not monitored) is not known now: choices leave these hosts out, and other times of them "
                            "have an interval from no load to the largest one\n"
                            "the load of a (too few samples for an interval) has no interval: those of times lack its error") == 0);

    wrong_conditions();
    wrong_models(model, now);
    wrong_kernels(model, now);
    wrong_routines(model, now);
    wrong_grids(model, now);
    wrong_connections(model, now);
    assert(orrery_model_free(now) == ORRERY_OK && orrery_model_free(model) == ORRERY_OK);
    puts("all wrong calls were answered");
    return 0;
}
