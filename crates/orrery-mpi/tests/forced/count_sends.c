/* Counts the messages that a process sends through UCX: preloaded, it precedes the functions by which Open MPI (pml/ucx) and MPICH
 * (ch4:ucx) send a tagged message. One thread sends. Functions that the installed UCX does not have are never called. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

static unsigned long sent;

/* The number of active functions of this file: some functions of UCX call others of them. */
static int depth;

/* The number of messages sent so far. */
unsigned long orrery_sent_messages(void) { return sent; }

/* Calls the function that this one precedes, and counts a message. */
#define COUNTED(type, name, ...) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    if (depth == 0) sent++; \
    depth++; \
    type result = next(__VA_ARGS__); \
    depth--; \
    return result

void *ucp_tag_send_nbx(void *ep, const void *buffer, size_t count, uint64_t tag, const void *param) {
    COUNTED(void *, ucp_tag_send_nbx, ep, buffer, count, tag, param);
}

void *ucp_tag_send_sync_nbx(void *ep, const void *buffer, size_t count, uint64_t tag, const void *param) {
    COUNTED(void *, ucp_tag_send_sync_nbx, ep, buffer, count, tag, param);
}

void *ucp_tag_send_nb(void *ep, const void *buffer, size_t count, uint64_t type, uint64_t tag, void *callback) {
    COUNTED(void *, ucp_tag_send_nb, ep, buffer, count, type, tag, callback);
}

void *ucp_tag_send_sync_nb(void *ep, const void *buffer, size_t count, uint64_t type, uint64_t tag, void *callback) {
    COUNTED(void *, ucp_tag_send_sync_nb, ep, buffer, count, type, tag, callback);
}

int ucp_tag_send_nbr(void *ep, const void *buffer, size_t count, uint64_t type, uint64_t tag, void *request) {
    COUNTED(int, ucp_tag_send_nbr, ep, buffer, count, type, tag, request);
}
