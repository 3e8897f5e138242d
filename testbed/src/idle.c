/* Preloaded into the programs of a testbed, whose hosts share a few processors. A rank that polls in vain lets others run;
   where its host has a share of a processor it sleeps a little, so that it does not spend its share on waiting. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void rest(void)
{
    static int has_share = -1;
    if (has_share < 0)
        has_share = getenv("TESTBED_SHARE") != NULL;
    if (has_share) {
        struct timespec pause = {0, 20000};
        nanosleep(&pause, NULL);
    } else {
        syscall(SYS_sched_yield);
    }
}

int sched_yield(void)
{
    rest();
    return 0;
}

int epoll_wait(int file, struct epoll_event *events, int most, int timeout)
{
    int found = syscall(SYS_epoll_pwait, file, events, most, timeout, NULL, 8);
    if (found == 0 && timeout == 0)
        rest();
    return found;
}

/* MPICH on UCX takes down its connections and then waits where it serves none of them: a rank that is quick keeps others from
   ending theirs. Here connections end without waiting for the other side; all messages have been received by then. */
extern void *ucp_ep_close_nb(void *connection, unsigned mode) __attribute__((weak));

void *ucp_disconnect_nb(void *connection)
{
    const unsigned by_force = 0;
    return ucp_ep_close_nb ? ucp_ep_close_nb(connection, by_force) : NULL;
}
