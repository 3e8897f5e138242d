/*
 * Orrery: models estimated at run time, on the ranks of a program that has initialised MPI, and collective operations by the
 * algorithms that they choose.
 *
 * The library is built for one MPI library, and contains all functions of orrery.h.
 *
 * Generated from crates/orrery-capi/src/mpi.rs and collectives.rs; do not edit.
 */

#ifndef ORRERY_MPI_H
#define ORRERY_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "mpi.h"
#include "orrery.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Estimates the model LMO on the ranks of a communicator, all of which call this with the same
// options, or null for the usual ones. Each gets a model of its own. Three ranks or more are
// needed. As with other collective calls of MPI, ranks wait for each other.
// `orrery_model_warnings` returns reasons to doubt the model, such as ranks that share cores.
//
// # Safety
//
// `comm` is an intracommunicator; `options` is null, or points to options with `struct_size`;
// `model` points to memory for a handle.
orrery_status orrery_lmo_estimate(MPI_Comm comm, const orrery_estimation *options, orrery_model *model);

// Estimates models of some kinds, separated by commas, such as "lmo,hockney,ports", as
// `orrery_lmo_estimate` does. Kinds of the LogP family measure message trains, too.
//
// # Safety
//
// As `orrery_lmo_estimate`; `kinds` is a text.
orrery_status orrery_estimate(MPI_Comm comm, const char *kinds, const orrery_estimation *options, orrery_model *model);

// `MPI_Scatter` by the algorithm that the model predicts to be the fastest.
//
// The processors of the model are the ranks of the communicator, as in the model that
// `orrery_lmo_estimate` makes of it. All ranks give the same model, in the same calls. The first
// call of an operation with a root and a size chooses the algorithm, on rank 0, and tells the
// other ranks; sizes that are equal when rounded up to four significant bits share it. Messages
// use a duplicate of the communicator, which is freed with it.
//
// Every rank gets a status, 0 if all is well, as of MPI. A choice that fails is reported on all
// ranks.
//
// # Safety
//
// The arguments are valid for `MPI_Scatter` on an intracommunicator.
orrery_status orrery_scatter(const void *sendbuf,
                             int sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             int recvcount,
                             MPI_Datatype recvtype,
                             int root,
                             MPI_Comm comm,
                             orrery_model model);

// `MPI_Gather` by the algorithm that the model predicts to be the fastest, as `orrery_scatter`.
// Between the thresholds of the model blocks are gathered in segments that do not escalate.
//
// # Safety
//
// The arguments are valid for `MPI_Gather` on an intracommunicator.
orrery_status orrery_gather(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            int recvcount,
                            MPI_Datatype recvtype,
                            int root,
                            MPI_Comm comm,
                            orrery_model model);

// `MPI_Bcast` by the algorithm that the model predicts to be the fastest, as `orrery_scatter`.
//
// # Safety
//
// The arguments are valid for `MPI_Bcast` on an intracommunicator.
orrery_status orrery_bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, orrery_model model);

// `MPI_Reduce` by the algorithm that the model predicts to be the fastest, as `orrery_scatter`.
// Derived types, and operations whose operands have an order, are left to `MPI_Reduce`.
//
// # Safety
//
// The arguments are valid for `MPI_Reduce` on an intracommunicator.
orrery_status orrery_reduce(const void *sendbuf,
                            void *recvbuf,
                            int count,
                            MPI_Datatype datatype,
                            MPI_Op op,
                            int root,
                            MPI_Comm comm,
                            orrery_model model);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ORRERY_MPI_H */
