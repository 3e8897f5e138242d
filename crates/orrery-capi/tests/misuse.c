/* Wrong calls are answered by a status and a message, and never by a crash; threads share a model. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery.h"

static orrery_model make(void)
{
    const double two[] = {10e-6, 20e-6}, one[] = {1e-9, 1e-9};
    orrery_model model;
    assert(orrery_model_of_lmo(2, two, one, two, one, &model) == ORRERY_OK);
    return model;
}

static void *predict(void *argument)
{
    orrery_model model = *(orrery_model *)argument;
    for (int call = 0; call < 2000; call++) {
        double seconds;
        enum orrery_status status = orrery_message_time(model, "lmo", 0, 1, 1000, &seconds);
        /* The model is freed meanwhile. */
        if (status == ORRERY_HANDLE)
            break;
        assert(status == ORRERY_OK && seconds > 40e-6 && seconds < 60e-6);
    }
    /* The message of this thread is its own. */
    return NULL;
}

int main(int count, char **arguments)
{
    orrery_model model = make(), other = make(), none = {0}, wrong = {~(uint64_t)0};
    const double negative[] = {-1, 1};
    size_t needed = 0;
    char buffer[8];
    double seconds;
    orrery_prediction prediction = {.struct_size = sizeof prediction};
    assert(count > 1);

    assert(orrery_model_read(NULL, &other) == ORRERY_NULL);
    assert(orrery_model_read(arguments[1], NULL) == ORRERY_NULL);
    assert(orrery_model_read("there/is/no/such.json", &other) == ORRERY_FILE && strstr(orrery_error(), "such.json"));
    assert(orrery_model_read("\xff", &other) == ORRERY_ARGUMENT);
    assert(orrery_model_parse("{\"format\": 1", 12, "broken.json", &other) == ORRERY_FILE);
    assert(strstr(orrery_error(), "broken.json:1:"));
    assert(orrery_model_parse(NULL, 5, "x", &other) == ORRERY_NULL);
    assert(orrery_model_of_lmo(2, negative, negative, negative, negative, &other) == ORRERY_ARGUMENT);
    assert(strstr(orrery_error(), "fixed_delay[0]"));
    assert(orrery_model_of_lmo(1, negative, negative, negative, negative, &other) == ORRERY_ARGUMENT);
    assert(orrery_model_of_lmo((size_t)-1, negative, negative, negative, negative, &other) == ORRERY_ARGUMENT);

    assert(orrery_model_free(none) == ORRERY_HANDLE && orrery_model_free(wrong) == ORRERY_HANDLE);
    assert(orrery_model_write(none, "x.json") == ORRERY_HANDLE);
    assert(orrery_message_time(none, "lmo", 0, 1, 1, &seconds) == ORRERY_HANDLE);
    assert(orrery_message_time(model, NULL, 0, 1, 1, &seconds) == ORRERY_NULL);
    assert(orrery_message_time(model, "lmo", 0, 1, 1, NULL) == ORRERY_NULL);
    assert(orrery_message_time(model, "no-such", 0, 1, 1, &seconds) == ORRERY_ARGUMENT);
    assert(orrery_message_time(model, "hockney", 0, 1, 1, &seconds) == ORRERY_MODEL);
    assert(orrery_message_time(model, "lmo", 0, 2, 1, &seconds) == ORRERY_ARGUMENT);
    assert(orrery_message_time(model, "lmo", 1, 1, 1, &seconds) == ORRERY_ARGUMENT);
    assert(orrery_message_time(model, "lmo", (size_t)1 << 40, 1, 1, &seconds) == ORRERY_ARGUMENT);

    assert(orrery_predict_message(model, "lmo", 0, 1, 1, NULL) == ORRERY_NULL);
    prediction.struct_size = 3;
    assert(orrery_predict_message(model, "lmo", 0, 1, 1, &prediction) == ORRERY_ARGUMENT);
    prediction.struct_size = sizeof prediction;
    assert(orrery_predict_message(model, "lmo", 0, 1, UINT64_MAX, &prediction) == ORRERY_OK);
    assert(orrery_predict_collective(model, "lmo", "scatter", "pairwise", 0, 2, 8, &prediction) == ORRERY_ARGUMENT);
    assert(orrery_predict_collective(model, "lmo", "scatter", "linear", 2, 2, 8, &prediction) == ORRERY_ARGUMENT);
    assert(orrery_predict_collective(model, "lmo", "scatter", "linear", 0, 3, 8, &prediction) == ORRERY_ARGUMENT);
    assert(orrery_predict_collective(model, "lmo", "scatter", "linear", 0, 1, 8, &prediction) == ORRERY_ARGUMENT);
    assert(orrery_predict_collective(model, "lmo", "x", "linear", 0, 2, 8, &prediction) == ORRERY_ARGUMENT);

    /* Questions that take more work than the budget allows say the number that is asked for and the limit. */
    const uint64_t large = UINT64_C(16) << 30;
    assert(orrery_predict_collective(model, "lmo", "bcast", "pipeline:1", 0, 2, large, &prediction) == ORRERY_ARGUMENT);
    assert(strstr(orrery_error(), "operations") && strstr(orrery_error(), "budget is 10000000"));
    assert(orrery_predict_collective(model, "lmo", "bcast", "pipeline:1", 0, 2, 2000000, &prediction) == ORRERY_ARGUMENT);
    assert(strstr(orrery_error(), "its budget is 512 MiB"));

    orrery_estimation options = orrery_estimation_options();
    assert(orrery_estimate_simulated(none, "lmo", 0, "lmo", NULL, &other, &seconds) == ORRERY_HANDLE);
    assert(orrery_estimate_simulated(model, NULL, 0, "lmo", NULL, &other, &seconds) == ORRERY_NULL);
    assert(orrery_estimate_simulated(model, "lmo", 0, "lmo", NULL, NULL, &seconds) == ORRERY_NULL);
    assert(orrery_estimate_simulated(model, "lmo", 0, "lmo", NULL, &other, NULL) == ORRERY_NULL);
    assert(orrery_estimate_simulated(model, "hockney", 0, "lmo", NULL, &other, &seconds) == ORRERY_MODEL);
    assert(orrery_estimate_simulated(model, "lmo", -1, "lmo", NULL, &other, &seconds) == ORRERY_ARGUMENT);
    assert(orrery_estimate_simulated(model, "lmo", 0.0 / 0.0, "lmo", NULL, &other, &seconds) == ORRERY_ARGUMENT);
    /* LMO needs three processors. */
    assert(orrery_estimate_simulated(model, "lmo", 0, "lmo", NULL, &other, &seconds) == ORRERY_MODEL);
    options.precision = 0;
    assert(orrery_estimate_simulated(model, "lmo", 0, "hockney", &options, &other, &seconds) == ORRERY_ARGUMENT);
    options.struct_size = 1;
    assert(orrery_estimate_simulated(model, "lmo", 0, "hockney", &options, &other, &seconds) == ORRERY_ARGUMENT);
    assert(orrery_estimate_simulated(model, "lmo", 0, "hockney", NULL, &other, &seconds) == ORRERY_OK && seconds > 0);
    assert(orrery_model_free(other) == ORRERY_OK);
    other = make();

    assert(orrery_model_kinds(model, NULL, 0, &needed) == ORRERY_CAPACITY && needed == 4);
    assert(orrery_model_kinds(model, buffer, needed - 1, &needed) == ORRERY_CAPACITY);
    assert(orrery_model_kinds(model, NULL, needed, &needed) == ORRERY_NULL);
    assert(orrery_model_kinds(model, buffer, sizeof buffer, NULL) == ORRERY_NULL);
    assert(orrery_model_kinds(model, buffer, sizeof buffer, &needed) == ORRERY_OK && strcmp(buffer, "lmo") == 0);
    assert(orrery_model_host(model, 2, buffer, sizeof buffer, &needed) == ORRERY_ARGUMENT);

    orrery_parameter delays[2];
    assert(orrery_model_parameter(model, "lmo", "fixed_delay", NULL, 0, &needed) == ORRERY_CAPACITY && needed == 2);
    assert(orrery_model_parameter(model, "lmo", "no_such", delays, 2, &needed) == ORRERY_MODEL);
    assert(orrery_model_parameter(model, "lmo", "fixed_delay", delays, 2, &needed) == ORRERY_OK);
    assert(delays[1].value == 20e-6);
    assert(orrery_model_set_parameter(model, "lmo", "fixed_delay", delays, 1) == ORRERY_ARGUMENT);
    delays[0].low = 11e-6, delays[0].high = 12e-6, delays[0].level = 0.95;
    assert(orrery_model_set_parameter(model, "lmo", "fixed_delay", delays, 2) == ORRERY_ARGUMENT);
    delays[0].low = 9e-6;
    delays[1] = delays[0];
    assert(orrery_model_set_parameter(model, "lmo", "fixed_delay", delays, 2) == ORRERY_OK);

    /* A model that was read again from its text is the same. */
    assert(orrery_model_text(model, NULL, 0, &needed) == ORRERY_CAPACITY);
    char *text = malloc(needed), *again = malloc(needed);
    assert(orrery_model_text(model, text, needed, &needed) == ORRERY_OK);
    assert(orrery_model_parse(text, needed - 1, "text", &wrong) == ORRERY_OK);
    assert(orrery_model_text(wrong, again, needed, &needed) == ORRERY_OK && strcmp(text, again) == 0);
    assert(orrery_model_write(wrong, arguments[1]) == ORRERY_OK);
    assert(orrery_model_check(arguments[1], buffer, sizeof buffer, &needed) == ORRERY_OK && needed == 1);
    assert(orrery_model_warnings(wrong, buffer, sizeof buffer, &needed) == ORRERY_OK && needed == 1);
    assert(orrery_model_free(wrong) == ORRERY_OK && orrery_model_free(wrong) == ORRERY_HANDLE);
    assert(orrery_model_warnings(wrong, buffer, sizeof buffer, &needed) == ORRERY_HANDLE);
    free(text);
    free(again);

    /* The warnings of a text stay with its model. */
    static const char coloured[] = "{\"format\": \"orrery-model\", \"version\": 1, \"models\": {\"hockney\": "
                                   "{\"latency\": {\"value\": [1e-5]}, \"byte_delay\": {\"value\": [1e-9]}, \"colour\": {}}}}";
    char warnings[512];
    assert(orrery_model_parse(coloured, sizeof coloured - 1, "c.json", &wrong) == ORRERY_OK);
    assert(orrery_model_warnings(wrong, buffer, sizeof buffer, &needed) == ORRERY_CAPACITY);
    assert(orrery_model_warnings(wrong, warnings, sizeof warnings, &needed) == ORRERY_OK && strstr(warnings, "colour"));
    assert(orrery_model_warnings(model, warnings, sizeof warnings, &needed) == ORRERY_OK && needed == 1);
    assert(orrery_model_free(wrong) == ORRERY_OK);

    pthread_t threads[8];
    for (int thread = 0; thread < 8; thread++)
        assert(pthread_create(&threads[thread], NULL, predict, &other) == 0);
    assert(orrery_model_free(other) == ORRERY_OK);
    for (int thread = 0; thread < 8; thread++)
        assert(pthread_join(threads[thread], NULL) == 0);
    assert(orrery_model_free(model) == ORRERY_OK);
    puts("all wrong calls were answered");
    return 0;
}
