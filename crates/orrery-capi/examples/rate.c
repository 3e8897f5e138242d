/* Prints how many messages per second are predicted on one core. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>

#include "orrery.h"

int main(int count, char **arguments)
{
    orrery_model model;
    size_t processors;
    if (count < 3 || orrery_model_read(arguments[1], &model) != ORRERY_OK
        || orrery_model_processors(model, &processors) != ORRERY_OK) {
        fprintf(stderr, "usage: rate MODEL KIND\n%s\n", orrery_error());
        return 1;
    }
    const long calls = 3000000;
    struct timespec begin, end;
    double sum = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long call = 0; call < calls; call++) {
        double seconds;
        size_t from = (size_t)call % processors;
        size_t to = (from + 1 + (size_t)call / processors % (processors - 1)) % processors;
        if (orrery_message_time(model, arguments[2], from, to, (uint64_t)(call & 65535), &seconds) != ORRERY_OK) {
            fprintf(stderr, "%s\n", orrery_error());
            return 1;
        }
        sum += seconds;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double elapsed = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("%.2f million messages per second (mean %.3e s)\n", 1e-6 * (double)calls / elapsed, sum / (double)calls);
    return orrery_model_free(model) != ORRERY_OK;
}
