/* Extreme numbers in all functions that take numbers: each call ends with a status, within 1 GiB and
 * the given seconds of processor time. Arguments: a model, the first call, the number of calls, the
 * seconds. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orrery.h"

static uint64_t state;

/* xorshift64* */
static uint64_t next(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

static uint64_t number(void)
{
    static const uint64_t extremes[] = {0, 1, 2, 3, 4, 5, 6, 7, 64, 1000, 1024, 1 << 20, 10000000, INT32_MAX, UINT32_MAX,
        UINT64_C(1) << 32, UINT64_C(1) << 33, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    return extremes[next() % (sizeof extremes / sizeof *extremes)];
}

/* One more than the processors of the model. */
static size_t processors;

/* A number of a processor or of processors: mostly a valid one. */
static size_t few(void)
{
    return next() % 8 ? (size_t)(next() % processors) : (size_t)number();
}

static double real(void)
{
    static const double extremes[] = {0, -1, 1, 0.5, 1e-300, 5e-324, DBL_MAX, 1e308, -DBL_MAX, HUGE_VAL, -HUGE_VAL, 0.95};
    const size_t count = sizeof extremes / sizeof *extremes, chosen = (size_t)(next() % (count + 1));
    return chosen == count ? nan("") : extremes[chosen];
}

#define CHOSEN(list) list[next() % (sizeof list / sizeof *list)]

static const char *kind(void)
{
    static const char *names[] = {"lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "lmo", "hockney", "loggp", "plogp", "ports", "", "x", "\xff"};
    return CHOSEN(names);
}

/* An operation with an algorithm that it has. */
struct pair {
    const char *operation, *algorithm;
};

static const char *operation(void)
{
    static const char *names[] = {"scatter", "gather", "allgather", "alltoall", "barrier", "bcast", "reduce", "allreduce",
        "reduce-scatter", "scan", "exscan", ""};
    return CHOSEN(names);
}

static const char *algorithm(void)
{
    static const char *names[] = {"linear", "binomial", "pipeline:1", "pipeline:1K", "binary:1", "split-binary:1",
        "segmented-ring:1", "knomial-4294967295:1", "knomial-2", "chain-4294967295:1", "chain-1:1", "pairwise",
        "pipeline:16E", "pipeline:0", "linear-split:1", ""};
    return CHOSEN(names);
}

static struct pair pair(void)
{
    static const struct pair known[] = {{"bcast", "pipeline:1"}, {"bcast", "binary:1"}, {"bcast", "split-binary:1"},
        {"bcast", "knomial-2:1"}, {"bcast", "chain-4294967295:1"}, {"bcast", "linear"}, {"reduce", "pipeline:1K"},
        {"reduce", "binary:1"}, {"scatter", "linear"}, {"scatter", "binomial"}, {"gather", "linear"},
        {"gather", "binomial"}, {"alltoall", "pairwise"}, {"allgather", "ring"}, {"allreduce", "segmented-ring:1"}};
    if (next() % 4)
        return CHOSEN(known);
    const struct pair other = {operation(), algorithm()};
    return other;
}

static const char *routine(void)
{
    static const char *names[] = {"pdgemm", "pdtrsm", "pdgetrf", "pdpotrf", "pdgeqrf", "pdsyrk", "psgemm", "x"};
    return CHOSEN(names);
}

static const char *kernel(void)
{
    static const char *names[] = {"dgemm", "dtrsm", "dsyrk", "daxpy", "dgetrf", "dgemv", "x"};
    return CHOSEN(names);
}

/* Calls a function with drawn arguments. */
static void call(orrery_model model)
{
    char buffer[256];
    size_t needed, one_number = number();
    double seconds;
    uint64_t space;
    orrery_model other;
    orrery_prediction prediction = {.struct_size = sizeof prediction};
    orrery_forecast forecast = {.struct_size = sizeof forecast};
    const struct pair drawn = pair();
    const size_t capacity = next() % 2 ? sizeof buffer : 0;
    switch (next() % 15) {
    case 0:
        orrery_predict_message(model, kind(), few(), few(), number(), &prediction);
        break;
    case 1:
    case 2:
    case 3:
        orrery_predict_collective(model, kind(), drawn.operation, drawn.algorithm, few(), few(), number(), &prediction);
        break;
    case 4:
        orrery_explain_collective(model, kind(), drawn.operation, drawn.algorithm, few(), few(), number(), buffer, capacity, &needed);
        break;
    case 5:
        orrery_choose_collective(model, kind(), operation(), few(), few(), number(), buffer, capacity, &needed, &prediction);
        break;
    case 6:
        orrery_message_time(model, kind(), few(), few(), number(), &seconds);
        orrery_latency(model, kind(), few(), few(), &forecast);
        break;
    case 7:
        orrery_bandwidth(model, kind(), few(), few(), number(), &forecast);
        break;
    case 8: {
        orrery_estimation options = orrery_estimation_options();
        options.min_repetitions = (uint32_t)number();
        options.max_repetitions = (uint32_t)number();
        options.precision = real();
        options.level = real();
        options.size = number();
        options.seed = number();
        options.sizes = &space;
        space = number();
        options.size_count = next() % 2;
        orrery_estimate_simulated(model, kind(), real(), kind(), &options, &other, &seconds);
        break;
    }
    case 9:
        orrery_kernel_time(model, kernel(), NULL, number(), number(), number(), "n1", &prediction);
        orrery_kernel_space(model, kernel(), NULL, number(), number(), number(), "n1", &space);
        break;
    case 10:
    case 11:
        orrery_routine_time(model, kind(), routine(), NULL, number(), number(), number(), (uint32_t)few(), (uint32_t)few(), number(),
            NULL, &prediction);
        break;
    case 12:
        orrery_routine_space(model, routine(), NULL, number(), number(), number(), (uint32_t)few(), (uint32_t)few(), number(), NULL,
            NULL, &space);
        break;
    case 13: {
        const double value[] = {real(), real()};
        orrery_model_of_lmo(2, value, value, value, value, &other);
        orrery_model_of_lmo((size_t)1 << 62, value, value, value, value, &other);
        orrery_model_host(model, one_number, buffer, capacity, &needed);
        break;
    }
    default: {
        orrery_parameter value = {real(), real(), real(), real()};
        orrery_model_set_parameter(model, kind(), "fixed_delay", &value, 1);
        orrery_predict_collective(model, kind(), drawn.operation, drawn.algorithm, few(), few(), number(), &prediction);
        break;
    }
    }
}

/* A homogeneous model of many processors. */
static orrery_model of_many(void)
{
    enum { PROCESSORS = 1000, PAIRS = PROCESSORS * (PROCESSORS - 1) / 2 };
    static double delays[PROCESSORS], byte_delays[PROCESSORS], latencies[PAIRS], rates[PAIRS];
    orrery_model model;
    for (int i = 0; i < PROCESSORS; i++)
        delays[i] = 10e-6, byte_delays[i] = 1e-9;
    for (int i = 0; i < PAIRS; i++)
        latencies[i] = 20e-6, rates[i] = 1e-9;
    assert(orrery_model_of_lmo(PROCESSORS, delays, byte_delays, latencies, rates, &model) == ORRERY_OK);
    return model;
}

int main(int count, char **arguments)
{
    orrery_model model, many = of_many();
    int failures = 0;
    assert(count > 4);
    setvbuf(stdout, NULL, _IONBF, 0);
    assert(orrery_model_read(arguments[1], &model) == ORRERY_OK);
    const long first = atol(arguments[2]), calls = atol(arguments[3]);
    const rlim_t seconds = (rlim_t)atol(arguments[4]);
    for (long number_of_call = first; number_of_call < first + calls; number_of_call++) {
        int status;
        const pid_t child = fork();
        assert(child >= 0);
        if (child == 0) {
            const struct rlimit memory = {(rlim_t)1 << 30, (rlim_t)1 << 30}, time = {seconds, seconds + 1}, none = {0, 0};
            setrlimit(RLIMIT_AS, &memory);
            setrlimit(RLIMIT_CPU, &time);
            setrlimit(RLIMIT_CORE, &none);
            state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(number_of_call + 1);
            for (int skipped = 0; skipped < 8; skipped++)
                next();
            processors = next() % 4 ? 5 : 1001;
            call(processors == 5 ? model : many);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            printf("call %ld ends with status %d\n", number_of_call, status);
            failures++;
        }
    }
    return failures != 0;
}
