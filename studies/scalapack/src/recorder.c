/*
 * Records the messages and the kernels of a process, in the order of their calls.
 *
 * The functions of MPI and BLAS below replace those of the libraries, because the dynamic linker prefers definitions of the
 * program. Each one calls the function of the library: by its name PMPI_*, or by the next definition of the symbol.
 * Without a recording they cost one test of a flag.
 *
 * Ranks in records are those of MPI_COMM_WORLD. A call within a recorded call is not recorded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

/* A message, a collective operation or a kernel. Numbers that do not apply are -1. */
struct orrery_record {
    const char *event;
    int peer;
    long long bytes;
    const char *kernel;
    char variant[4];
    int m, n, k;
    /* Successive calls with the same arguments: more than 1 for kernels on vectors only. */
    int calls;
    /* The first rank and the number of ranks of the group in `groups`; 0 ranks if there is no group. */
    size_t first;
    int ranks;
};

static struct orrery_record *records;
static size_t record_count, record_capacity;
static int *groups;
static size_t group_count, group_capacity;
static int recording, depth, out_of_memory;

void orrery_record_start(void)
{
    record_count = group_count = 0;
    depth = out_of_memory = 0;
    recording = 1;
}

/* Stops recording. Returns the number of records, or -1 if memory did not suffice. */
long long orrery_record_stop(void)
{
    recording = 0;
    return out_of_memory ? -1 : (long long)record_count;
}

const struct orrery_record *orrery_records(void) { return records; }

const int *orrery_record_groups(void) { return groups; }

/* Returns memory for `count` elements, at least; NULL if there is none, and then stops recording. */
static void *grown(void *memory, size_t count, size_t *capacity, size_t element)
{
    if (count <= *capacity && memory != NULL)
        return memory;
    size_t wanted = count < 1024 ? 1024 : 2 * count;
    void *larger = realloc(memory, wanted * element);
    if (larger == NULL) {
        out_of_memory = 1;
        recording = 0;
        return NULL;
    }
    *capacity = wanted;
    return larger;
}

/* Returns a new record, or NULL. */
static struct orrery_record *new_record(const char *event)
{
    struct orrery_record *memory = grown(records, record_count + 1, &record_capacity, sizeof *records);
    if (memory == NULL)
        return NULL;
    records = memory;
    struct orrery_record *record = &records[record_count++];
    memset(record, 0, sizeof *record);
    record->event = event;
    record->peer = record->m = record->n = record->k = -1;
    record->bytes = -1;
    record->calls = 1;
    return record;
}

/* The rank in MPI_COMM_WORLD of a rank of a communicator; -1 if it has none. */
static int world_rank(MPI_Comm communicator, int rank)
{
    MPI_Group group, world;
    int translated = MPI_UNDEFINED;
    if (rank < 0)
        return -1;
    PMPI_Comm_group(communicator, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &translated);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return translated == MPI_UNDEFINED ? -1 : translated;
}

static long long size_of(int count, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    return (long long)count * size;
}

static void record_message(const char *event, int count, MPI_Datatype type, int peer, MPI_Comm communicator)
{
    struct orrery_record *record = new_record(event);
    if (record == NULL)
        return;
    record->peer = world_rank(communicator, peer);
    record->bytes = size_of(count, type);
}

/* Records a received message by its status, because a receive names a bound of the size and perhaps any source. */
static void record_received(const char *event, MPI_Status *status, MPI_Comm communicator)
{
    struct orrery_record *record = new_record(event);
    int bytes = 0;
    if (record == NULL)
        return;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    record->peer = world_rank(communicator, status->MPI_SOURCE);
    record->bytes = bytes == MPI_UNDEFINED ? -1 : bytes;
}

/* `root` is -1 if the operation has none. */
static void record_collective(const char *event, long long bytes, int root, MPI_Comm communicator)
{
    struct orrery_record *record = new_record(event);
    int ranks = 0;
    if (record == NULL)
        return;
    PMPI_Comm_size(communicator, &ranks);
    int *memory = grown(groups, group_count + ranks, &group_capacity, sizeof *groups);
    if (memory == NULL)
        return;
    groups = memory;
    record->peer = world_rank(communicator, root);
    record->bytes = bytes;
    record->first = group_count;
    record->ranks = ranks;
    for (int rank = 0; rank < ranks; rank++)
        groups[group_count++] = world_rank(communicator, rank);
}

/* Records before the call with `before`, then calls. Calls within the call are not recorded. */
#define CALLED(call, before)                                                                                                     \
    do {                                                                                                                         \
        int status_of_call;                                                                                                      \
        if (recording && depth == 0) {                                                                                           \
            before;                                                                                                              \
        }                                                                                                                        \
        depth++;                                                                                                                 \
        status_of_call = call;                                                                                                   \
        depth--;                                                                                                                 \
        return status_of_call;                                                                                                   \
    } while (0)

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator)
{
    CALLED(PMPI_Send(buffer, count, type, peer, tag, communicator), record_message("send", count, type, peer, communicator));
}

int MPI_Ssend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator)
{
    CALLED(PMPI_Ssend(buffer, count, type, peer, tag, communicator), record_message("ssend", count, type, peer, communicator));
}

int MPI_Rsend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator)
{
    CALLED(PMPI_Rsend(buffer, count, type, peer, tag, communicator), record_message("rsend", count, type, peer, communicator));
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator, MPI_Request *request)
{
    CALLED(PMPI_Isend(buffer, count, type, peer, tag, communicator, request),
           record_message("isend", count, type, peer, communicator));
}

/* The size of a posted receive is that of its buffer. */
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator, MPI_Request *request)
{
    CALLED(PMPI_Irecv(buffer, count, type, peer, tag, communicator, request),
           record_message("irecv", count, type, peer, communicator));
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Recv(buffer, count, type, peer, tag, communicator, used);
    if (recording && depth == 0 && result == MPI_SUCCESS)
        record_received("recv", used, communicator);
    return result;
}

/* Two records: what is sent, then what is received. */
int MPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag, void *received, int received_count,
                 MPI_Datatype received_type, int from, int received_tag, MPI_Comm communicator, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    if (recording && depth == 0)
        record_message("sendrecv-send", sent_count, sent_type, to, communicator);
    int result = PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, received_count, received_type, from,
                               received_tag, communicator, used);
    if (recording && depth == 0 && result == MPI_SUCCESS)
        record_received("sendrecv-recv", used, communicator);
    return result;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) { CALLED(PMPI_Wait(request, status), new_record("wait")); }

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    CALLED(PMPI_Waitall(count, requests, statuses), new_record("waitall"));
}

int MPI_Barrier(MPI_Comm communicator)
{
    CALLED(PMPI_Barrier(communicator), record_collective("barrier", 0, -1, communicator));
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator)
{
    CALLED(PMPI_Bcast(buffer, count, type, root, communicator),
           record_collective("bcast", size_of(count, type), root, communicator));
}

int MPI_Reduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation, int root, MPI_Comm communicator)
{
    CALLED(PMPI_Reduce(sent, received, count, type, operation, root, communicator),
           record_collective("reduce", size_of(count, type), root, communicator));
}

int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator)
{
    CALLED(PMPI_Allreduce(sent, received, count, type, operation, communicator),
           record_collective("allreduce", size_of(count, type), -1, communicator));
}

/* Records a kernel on vectors; copies of matrices are many calls with the same arguments, which share a record. */
static void record_vectors(const char *kernel, int n)
{
    struct orrery_record *last = record_count > 0 ? &records[record_count - 1] : NULL;
    if (last != NULL && last->kernel == kernel && last->n == n) {
        last->calls++;
        return;
    }
    struct orrery_record *record = new_record("kernel");
    if (record == NULL)
        return;
    record->kernel = kernel;
    record->n = n;
}

/* Records a kernel with up to three letters, in lower case and without blanks. */
static void record_kernel(const char *kernel, const char *first, const char *second, const char *third, int m, int n, int k)
{
    const char *letters[3] = {first, second, third};
    int length = 0;
    struct orrery_record *record = new_record("kernel");
    if (record == NULL)
        return;
    record->kernel = kernel;
    for (int letter = 0; letter < 3; letter++)
        if (letters[letter] != NULL)
            record->variant[length++] = (char)(*letters[letter] | 0x20);
    record->m = m;
    record->n = n;
    record->k = k;
}

/* The next definition of a symbol, that of the library. The program cannot continue without it. */
static void *of_library(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (found == NULL) {
        fprintf(stderr, "orrery-scalapack: no library of BLAS and LAPACK defines %s\n", symbol);
        abort();
    }
    return found;
}

/*
 * A kernel: its result, name, parameters, their types with the hidden lengths of characters of Fortran, arguments, and record.
 * Callers in C pass no lengths; those passed here are those of all characters of BLAS.
 */
#define ARGUMENTS(...) __VA_ARGS__
#define LIBRARY(result, name, ...)                                                                                               \
    static result (*library)(__VA_ARGS__);                                                                                       \
    if (library == NULL)                                                                                                         \
        library = (result (*)(__VA_ARGS__))of_library(#name "_")
#define KERNEL(name, parameters, types, arguments, record)                                                                       \
    void name##_(parameters)                                                                                                     \
    {                                                                                                                            \
        LIBRARY(void, name, types);                                                                                              \
        if (recording && depth == 0) {                                                                                           \
            record;                                                                                                              \
        }                                                                                                                        \
        depth++;                                                                                                                 \
        library(arguments);                                                                                                      \
        depth--;                                                                                                                 \
    }
/* A kernel on vectors of n elements that returns a number. */
#define FUNCTION(result, name, parameters, types, arguments)                                                                     \
    result name##_(parameters)                                                                                                   \
    {                                                                                                                            \
        LIBRARY(result, name, types);                                                                                            \
        result value;                                                                                                            \
        if (recording && depth == 0)                                                                                             \
            record_vectors(#name, *n);                                                                                           \
        depth++;                                                                                                                 \
        value = library(arguments);                                                                                              \
        depth--;                                                                                                                 \
        return value;                                                                                                            \
    }

typedef const char *letter;
typedef const int *integer;
typedef const double *in;
typedef double *inout;
typedef size_t length;

KERNEL(dgemm,
       ARGUMENTS(letter ta, letter tb, integer m, integer n, integer k, in alpha, in a, integer lda, in b, integer ldb, in beta,
                 inout c, integer ldc),
       ARGUMENTS(letter, letter, integer, integer, integer, in, in, integer, in, integer, in, inout, integer, length, length),
       ARGUMENTS(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1),
       record_kernel("dgemm", ta, tb, NULL, *m, *n, *k))

KERNEL(dsymm,
       ARGUMENTS(letter side, letter uplo, integer m, integer n, in alpha, in a, integer lda, in b, integer ldb, in beta, inout c,
                 integer ldc),
       ARGUMENTS(letter, letter, integer, integer, in, in, integer, in, integer, in, inout, integer, length, length),
       ARGUMENTS(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1),
       record_kernel("dsymm", side, uplo, NULL, *m, *n, -1))

KERNEL(dsyrk,
       ARGUMENTS(letter uplo, letter trans, integer n, integer k, in alpha, in a, integer lda, in beta, inout c, integer ldc),
       ARGUMENTS(letter, letter, integer, integer, in, in, integer, in, inout, integer, length, length),
       ARGUMENTS(uplo, trans, n, k, alpha, a, lda, beta, c, ldc, 1, 1),
       record_kernel("dsyrk", uplo, trans, NULL, -1, *n, *k))

KERNEL(dsyr2k,
       ARGUMENTS(letter uplo, letter trans, integer n, integer k, in alpha, in a, integer lda, in b, integer ldb, in beta, inout c,
                 integer ldc),
       ARGUMENTS(letter, letter, integer, integer, in, in, integer, in, integer, in, inout, integer, length, length),
       ARGUMENTS(uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1),
       record_kernel("dsyr2k", uplo, trans, NULL, -1, *n, *k))

KERNEL(dtrmm,
       ARGUMENTS(letter side, letter uplo, letter trans, letter diag, integer m, integer n, in alpha, in a, integer lda, inout b,
                 integer ldb),
       ARGUMENTS(letter, letter, letter, letter, integer, integer, in, in, integer, inout, integer, length, length, length, length),
       ARGUMENTS(side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, 1, 1, 1, 1),
       record_kernel("dtrmm", side, uplo, trans, *m, *n, -1))

KERNEL(dtrsm,
       ARGUMENTS(letter side, letter uplo, letter trans, letter diag, integer m, integer n, in alpha, in a, integer lda, inout b,
                 integer ldb),
       ARGUMENTS(letter, letter, letter, letter, integer, integer, in, in, integer, inout, integer, length, length, length, length),
       ARGUMENTS(side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, 1, 1, 1, 1),
       record_kernel("dtrsm", side, uplo, trans, *m, *n, -1))

KERNEL(dgemv,
       ARGUMENTS(letter trans, integer m, integer n, in alpha, in a, integer lda, in x, integer incx, in beta, inout y,
                 integer incy),
       ARGUMENTS(letter, integer, integer, in, in, integer, in, integer, in, inout, integer, length),
       ARGUMENTS(trans, m, n, alpha, a, lda, x, incx, beta, y, incy, 1),
       record_kernel("dgemv", trans, NULL, NULL, *m, *n, -1))

KERNEL(dger, ARGUMENTS(integer m, integer n, in alpha, in x, integer incx, in y, integer incy, inout a, integer lda),
       ARGUMENTS(integer, integer, in, in, integer, in, integer, inout, integer), ARGUMENTS(m, n, alpha, x, incx, y, incy, a, lda),
       record_kernel("dger", NULL, NULL, NULL, *m, *n, -1))

KERNEL(dtrmv, ARGUMENTS(letter uplo, letter trans, letter diag, integer n, in a, integer lda, inout x, integer incx),
       ARGUMENTS(letter, letter, letter, integer, in, integer, inout, integer, length, length, length),
       ARGUMENTS(uplo, trans, diag, n, a, lda, x, incx, 1, 1, 1),
       record_kernel("dtrmv", uplo, trans, NULL, -1, *n, -1))

KERNEL(dtrsv, ARGUMENTS(letter uplo, letter trans, letter diag, integer n, in a, integer lda, inout x, integer incx),
       ARGUMENTS(letter, letter, letter, integer, in, integer, inout, integer, length, length, length),
       ARGUMENTS(uplo, trans, diag, n, a, lda, x, incx, 1, 1, 1),
       record_kernel("dtrsv", uplo, trans, NULL, -1, *n, -1))

KERNEL(dsyr, ARGUMENTS(letter uplo, integer n, in alpha, in x, integer incx, inout a, integer lda),
       ARGUMENTS(letter, integer, in, in, integer, inout, integer, length), ARGUMENTS(uplo, n, alpha, x, incx, a, lda, 1),
       record_kernel("dsyr", uplo, NULL, NULL, -1, *n, -1))

KERNEL(dscal, ARGUMENTS(integer n, in alpha, inout x, integer incx), ARGUMENTS(integer, in, inout, integer),
       ARGUMENTS(n, alpha, x, incx),
       record_vectors("dscal", *n))

KERNEL(dcopy, ARGUMENTS(integer n, in x, integer incx, inout y, integer incy), ARGUMENTS(integer, in, integer, inout, integer),
       ARGUMENTS(n, x, incx, y, incy),
       record_vectors("dcopy", *n))

KERNEL(dswap, ARGUMENTS(integer n, inout x, integer incx, inout y, integer incy),
       ARGUMENTS(integer, inout, integer, inout, integer), ARGUMENTS(n, x, incx, y, incy),
       record_vectors("dswap", *n))

KERNEL(daxpy, ARGUMENTS(integer n, in alpha, in x, integer incx, inout y, integer incy),
       ARGUMENTS(integer, in, in, integer, inout, integer), ARGUMENTS(n, alpha, x, incx, y, incy),
       record_vectors("daxpy", *n))

KERNEL(dgetrf, ARGUMENTS(integer m, integer n, inout a, integer lda, int *pivots, int *info),
       ARGUMENTS(integer, integer, inout, integer, int *, int *), ARGUMENTS(m, n, a, lda, pivots, info),
       record_kernel("dgetrf", NULL, NULL, NULL, *m, *n, -1))

KERNEL(dpotrf, ARGUMENTS(letter uplo, integer n, inout a, integer lda, int *info),
       ARGUMENTS(letter, integer, inout, integer, int *, length), ARGUMENTS(uplo, n, a, lda, info, 1),
       record_kernel("dpotrf", uplo, NULL, NULL, -1, *n, -1))

KERNEL(dlaswp, ARGUMENTS(integer n, inout a, integer lda, integer first, integer last, integer pivots, integer increment),
       ARGUMENTS(integer, inout, integer, integer, integer, integer, integer),
       ARGUMENTS(n, a, lda, first, last, pivots, increment),
       record_kernel("dlaswp", NULL, NULL, NULL, -1, *n, *last - *first + 1))

FUNCTION(int, idamax, ARGUMENTS(integer n, in x, integer incx), ARGUMENTS(integer, in, integer), ARGUMENTS(n, x, incx))
FUNCTION(double, dnrm2, ARGUMENTS(integer n, in x, integer incx), ARGUMENTS(integer, in, integer), ARGUMENTS(n, x, incx))
FUNCTION(double, dasum, ARGUMENTS(integer n, in x, integer incx), ARGUMENTS(integer, in, integer), ARGUMENTS(n, x, incx))
FUNCTION(double, ddot, ARGUMENTS(integer n, in x, integer incx, in y, integer incy), ARGUMENTS(integer, in, integer, in, integer),
         ARGUMENTS(n, x, incx, y, incy))
