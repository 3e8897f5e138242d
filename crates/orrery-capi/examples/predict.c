/* A complete program: makes a model, predicts, chooses and explains.
 *
 *     cc predict.c -I../include -lorrery -o predict && ./predict
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "orrery.h"

enum { PROCESSORS = 8, PAIRS = PROCESSORS * (PROCESSORS - 1) / 2 };

/* Ends the program with the message of the library unless a call was successful. */
static void check(enum orrery_status status)
{
    if (status != ORRERY_OK) {
        fprintf(stderr, "orrery: %s\n", orrery_error());
        exit(1);
    }
}

int main(void)
{
    double fixed_delay[PROCESSORS], byte_delay[PROCESSORS], link_latency[PAIRS], link_byte_delay[PAIRS];
    for (int i = 0; i < PROCESSORS; i++) {
        fixed_delay[i] = i < 4 ? 10e-6 : 30e-6;
        byte_delay[i] = 1e-9;
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        link_latency[pair] = 20e-6;
        link_byte_delay[pair] = 8e-9;
    }
    orrery_model model;
    check(orrery_model_of_lmo(PROCESSORS, fixed_delay, byte_delay, link_latency, link_byte_delay, &model));

    orrery_prediction message = {.struct_size = sizeof message};
    check(orrery_predict_message(model, "lmo", 0, 1, 1000, &message));
    printf("message of 1000 bytes: %.1f us\n", message.seconds * 1e6);
    printf("its interval is %s\n", isnan(message.low) ? "unknown" : "known");

    orrery_prediction scatter = {.struct_size = sizeof scatter};
    check(orrery_predict_collective(model, "lmo", "scatter", "binomial", 0, PROCESSORS, 1024, &scatter));
    printf("binomial scatter of 1 KiB: %.1f us\n", scatter.seconds * 1e6);

    char algorithm[64];
    size_t needed;
    check(orrery_choose_collective(model, "lmo", "bcast", 0, PROCESSORS, 1 << 20, algorithm, sizeof algorithm, &needed,
                                   &scatter));
    printf("fastest bcast of 1 MiB: %s, %.2f ms\n", algorithm, scatter.seconds * 1e3);

    check(orrery_explain_message(model, "lmo", 0, 1, 1000, NULL, 0, &needed) == ORRERY_CAPACITY ? ORRERY_OK
                                                                                              : ORRERY_INTERNAL);
    char *explanation = malloc(needed);
    check(orrery_explain_message(model, "lmo", 0, 1, 1000, explanation, needed, &needed));
    printf("%s", explanation);
    free(explanation);

    check(orrery_model_free(model));
    if (orrery_model_free(model) == ORRERY_HANDLE)
        printf("freed twice: %s\n", orrery_error());
    return 0;
}
