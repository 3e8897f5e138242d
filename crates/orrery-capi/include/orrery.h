/*
 * Orrery: models of clusters, predictions of communication, choices of algorithms.
 *
 * Every function returns a status. After another status than ORRERY_OK, orrery_error() describes what failed and what to do,
 * on the same thread. No function prints, exits or keeps a pointer that it was given.
 *
 * Models and conditions are named by handles, which any number of threads may use at the same time. A handle that was freed,
 * or was never made, is answered by ORRERY_HANDLE.
 *
 * Texts are in UTF-8 and end with 0. A function that returns a text takes a buffer and its capacity, and writes the number of
 * bytes that the text needs, with its 0, to `needed`. If the capacity is too small, nothing else is written, and the status is
 * ORRERY_CAPACITY; a null buffer with the capacity 0 asks for the number.
 *
 * Generated from crates/orrery-capi/src; do not edit.
 */

#ifndef ORRERY_H
#define ORRERY_H



#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a function returns.
typedef enum orrery_status {
  // The call has done what it should.
  ORRERY_OK = 0,
  // A pointer is null.
  ORRERY_NULL = 1,
  // A handle was freed, or was never made.
  ORRERY_HANDLE = 2,
  // An argument is invalid: no such processor, unknown name, text that is not UTF-8, struct of
  // an unknown size.
  ORRERY_ARGUMENT = 3,
  // A file or a text has no valid content, or cannot be read or written.
  ORRERY_FILE = 4,
  // The model or the conditions do not contain what is asked for.
  ORRERY_MODEL = 5,
  // A buffer is too small.
  ORRERY_CAPACITY = 6,
  // A fault of the library; please report it.
  ORRERY_INTERNAL = 7,
  // A service cannot be reached, or refuses a request.
  ORRERY_SERVICE = 8,
} orrery_status;

// A model. A handle of zeros names none.
typedef struct orrery_model {
  // The number of the handle.
  uint64_t id;
} orrery_model;

// A predicted time.
typedef struct orrery_prediction {
  // Set it to `sizeof(orrery_prediction)` before a call: later versions of the library may have
  // more fields.
  size_t struct_size;
  // The time [s]; the median if the operation may escalate.
  double seconds;
  // The lower end of the interval, with errors of the parameters and of the model, at the
  // confidence level of the parameters, usually 95 % [s]; not-a-number if it is unknown.
  double low;
  // The upper end [s].
  double high;
  // The number of reasons why the prediction may not hold although its interval is narrow;
  // `orrery_explain_…` names those of messages and collective operations.
  uint32_t alarms;
  // 0.
  uint32_t reserved;
} orrery_prediction;

// A grid of processes of a parallel routine.
typedef struct orrery_grid {
  // The number of rows of processes.
  uint32_t rows;
  // The number of columns of processes.
  uint32_t columns;
  // The rows and columns of a block.
  uint64_t block;
} orrery_grid;

// The present load of the hosts and links of a cluster. A handle of zeros names none.
typedef struct orrery_conditions {
  // The number of the handle.
  uint64_t id;
} orrery_conditions;

// A forecast of a latency [s] or a bandwidth [B/s].
typedef struct orrery_forecast {
  // Set it to `sizeof(orrery_forecast)` before a call: later versions of the library may have
  // more fields.
  size_t struct_size;
  // The expected value.
  double value;
  // The lower end of its interval; not-a-number if it is unknown.
  double low;
  // The upper end, which may be infinite for a bandwidth.
  double high;
  // The age of the oldest sample of monitoring that it depends on [s]; not-a-number for a
  // value of a model.
  double age;
  // The number of reasons to doubt it: alarms of the model, or 1 if monitoring measured a link
  // in the other direction only.
  uint32_t alarms;
  // 0.
  uint32_t reserved;
} orrery_forecast;

// How a model is estimated. `orrery_estimation_options()` gives the usual values.
typedef struct orrery_estimation {
  // `sizeof(orrery_estimation)`.
  size_t struct_size;
  // The minimum number of repetitions of an experiment.
  uint32_t min_repetitions;
  // The maximum number of repetitions.
  uint32_t max_repetitions;
  // The relative half-width of the interval of the median at which repetitions stop.
  double precision;
  // The confidence level of this interval.
  double level;
  // The message sizes of round trips besides 0 and that of one-to-two experiments; null for
  // none.
  const uint64_t *sizes;
  // Their number.
  size_t size_count;
  // The message size of one-to-two experiments; 0 for 32 KiB, or less if `thresholds` finds a
  // smaller threshold of scatter.
  uint64_t size;
  // The seed of the order of experiments.
  uint64_t seed;
  // True if experiments of different processors run at the same time, where a test shows that
  // they do not disturb each other.
  bool parallel;
  // True to search for links that several processors share.
  bool shared_links;
  // True to measure linear scatters and gathers first, and to estimate their thresholds.
  bool thresholds;
  // True for a sixth of the one-to-two experiments: processor delays have wider intervals. On a
  // simulated cluster of 16 ranks with the speeds of Gigabit Ethernet, LMO then takes 0.83 s of
  // the network with messages of 16 KiB.
  bool brief;
} orrery_estimation;

// A parameter with its interval.
typedef struct orrery_parameter {
  // The value.
  double value;
  // The ends of the interval; not-a-number if there is none.
  double low;
  // The upper end.
  double high;
  // The confidence level of the interval, such as 0.95; not-a-number if there is none.
  double level;
} orrery_parameter;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Chooses the algorithm of a collective operation, with segments from 1 KiB to 1 MiB where
// algorithms have them, and for scatter and gather with those below the thresholds of the model:
// the fastest one, or the first of those whose times do not differ significantly from it.
// `algorithm` gets its name, such as "knomial-4:8K", and `prediction`, unless it is null, its
// time.
//
// # Safety
//
// The names are texts; `algorithm` has `capacity` bytes or is null; `needed` points to memory for
// a number; `prediction` is null, or points to a struct whose `struct_size` is set.
enum orrery_status orrery_choose_collective(struct orrery_model model,
                                            const char *kind_name,
                                            const char *operation,
                                            size_t root,
                                            size_t procs,
                                            uint64_t size,
                                            char *algorithm,
                                            size_t capacity,
                                            size_t *needed,
                                            struct orrery_prediction *prediction);

// Chooses the grid of processes and the block with which a parallel routine is fastest, under the
// conditions of the model: kernel, variant and dimensions are those of `orrery_routine_time`, and
// `blocks` has the candidates for the rows and columns of a block. Hosts whose load is not known
// now are left out unless `unmonitored` is true; that is an alarm of the prediction, and
// `orrery_model_warnings` names them. `grid` gets the grid and `prediction` its time; `processors`,
// with room for `capacity` numbers, gets the processor of each process, row by row of the grid, and
// `needed` their number. The status is `ORRERY_CAPACITY` if there is too little room.
//
// # Safety
//
// The names are texts, `variant` may be null; there are `block_count` numbers at `blocks`;
// `processors` has room for `capacity` numbers; `grid` and `needed` point to memory for them,
// `prediction` to a struct whose `struct_size` is set.
enum orrery_status orrery_choose_grid(struct orrery_model model,
                                      const char *kind_name,
                                      const char *routine_name,
                                      const char *variant,
                                      uint64_t m,
                                      uint64_t n,
                                      uint64_t k,
                                      const uint64_t *blocks,
                                      size_t block_count,
                                      bool unmonitored,
                                      struct orrery_grid *grid,
                                      size_t *processors,
                                      size_t capacity,
                                      size_t *needed,
                                      struct orrery_prediction *prediction);

// Reads a file of conditions, as the service of `orrery monitor serve` sends them.
// `orrery_conditions_free` frees them.
//
// # Safety
//
// `path` is a text; `conditions` points to memory for a handle.
enum orrery_status orrery_conditions_read(const char *path, struct orrery_conditions *conditions);

// Reads conditions from the text of a file; messages contain `name` as the name of the file.
//
// # Safety
//
// There are `length` bytes at `content`; `name` is a text; `conditions` points to memory for a
// handle.
enum orrery_status orrery_conditions_parse(const char *content,
                                           size_t length,
                                           const char *name,
                                           struct orrery_conditions *conditions);

// Asks the service of `orrery monitor serve` at an address, such as "http://127.0.0.1:7410", for
// the present conditions; waits for at most half a minute. `token_file` has the token that the
// service requires, `ca_file` the certificates of the authorities that sign the certificate of the
// service, in PEM format; null for no token, and for the certificates of this host.
//
// # Safety
//
// `url` is a text, `token_file` and `ca_file` are texts or null; `conditions` points to memory for
// a handle.
enum orrery_status orrery_conditions_fetch(const char *url,
                                           const char *token_file,
                                           const char *ca_file,
                                           struct orrery_conditions *conditions);

// Frees conditions. Their handle is invalid from then on; models under them remain.
enum orrery_status orrery_conditions_free(struct orrery_conditions conditions);

// Makes the model under these conditions: links are slower by their present latency and bandwidth,
// and kernels take longer where other programs leave a part of the processor. All functions of
// models answer for this load; `orrery_model_warnings` returns what the conditions do not say, and
// `orrery_model_write` writes the slower links, not the load of hosts. The status is
// `ORRERY_MODEL` if the conditions concern no host of the model, and `ORRERY_ARGUMENT` if the
// model is itself one under conditions.
//
// # Safety
//
// `now` points to memory for a handle.
enum orrery_status orrery_model_now(struct orrery_model model,
                                    struct orrery_conditions conditions,
                                    struct orrery_model *now);

// The present latency from one host to another [s]: that of the pair if it is monitored, else
// the sum along the path of monitored links with the smallest latency. The status is
// `ORRERY_MODEL` if there is no path.
//
// # Safety
//
// The names are texts; `forecast` points to a struct whose `struct_size` is set.
enum orrery_status orrery_conditions_latency(struct orrery_conditions conditions,
                                             const char *from_host,
                                             const char *to_host,
                                             struct orrery_forecast *forecast);

// The present bandwidth from one host to another [B/s]: the smallest one along the path of
// `orrery_conditions_latency`.
//
// # Safety
//
// As `orrery_conditions_latency`.
enum orrery_status orrery_conditions_bandwidth(struct orrery_conditions conditions,
                                               const char *from_host,
                                               const char *to_host,
                                               struct orrery_forecast *forecast);

// The hosts along the path from one host to another, separated by blanks: "n1 n2 n3"; two if the
// pair itself is monitored.
//
// # Safety
//
// The names are texts; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
// number.
enum orrery_status orrery_conditions_path(struct orrery_conditions conditions,
                                          const char *from_host,
                                          const char *to_host,
                                          char *buffer,
                                          size_t capacity,
                                          size_t *needed);

// The latency from one processor to another by a kind of model: the time of an empty message, T(0)
// [s].
//
// # Safety
//
// `kind_name` is a text; `forecast` points to a struct whose `struct_size` is set.
enum orrery_status orrery_latency(struct orrery_model model,
                                  const char *kind_name,
                                  size_t from,
                                  size_t to,
                                  struct orrery_forecast *forecast);

// The bandwidth from one processor to another by a kind of model at a size m of 2 bytes or more:
// (m − h) / (T(m) − T(h)) with h = ⌊m/2⌋ [B/s].
//
// # Safety
//
// As `orrery_latency`.
enum orrery_status orrery_bandwidth(struct orrery_model model,
                                    const char *kind_name,
                                    size_t from,
                                    size_t to,
                                    uint64_t size,
                                    struct orrery_forecast *forecast);

// The usual options of an estimation.
struct orrery_estimation orrery_estimation_options(void);

// Estimates models of some kinds, separated by commas, on a simulated cluster whose parameters are
// those of the model `truth` of the kind `truth_kind`: what `orrery_estimate` would find with
// these options, and how long it would use the network.
//
// Each reading is multiplied by log-normal noise with the relative standard deviation `noise`; the
// seed of the options is that of the noise, too. Thresholds and shared links of the model are
// simulated. `seconds` gets the time of all experiments on the simulated network [s].
//
// # Safety
//
// `truth_kind` and `kinds` are texts; `options` is null, or points to options with `struct_size`;
// `model` points to memory for a handle, `seconds` to memory for a number.
enum orrery_status orrery_estimate_simulated(struct orrery_model truth,
                                             const char *truth_kind,
                                             double noise,
                                             const char *kinds,
                                             const struct orrery_estimation *options,
                                             struct orrery_model *model,
                                             double *seconds);

// Explains the predicted time of a message: a line `SECONDS FACTOR × VALUE PARAMETER` for each
// term, then a line for each alarm.
//
// # Safety
//
// `kind_name` is a text; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
// number.
enum orrery_status orrery_explain_message(struct orrery_model model,
                                          const char *kind_name,
                                          size_t from,
                                          size_t to,
                                          uint64_t size,
                                          char *buffer,
                                          size_t capacity,
                                          size_t *needed);

// Explains the predicted time of a collective operation, as `orrery_explain_message` does for a
// message.
//
// # Safety
//
// The names are texts; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
// number.
enum orrery_status orrery_explain_collective(struct orrery_model model,
                                             const char *kind_name,
                                             const char *operation,
                                             const char *algorithm,
                                             size_t root,
                                             size_t procs,
                                             uint64_t size,
                                             char *buffer,
                                             size_t capacity,
                                             size_t *needed);

// Predicts the time of a call of a kernel, such as "dgemm", on a host: T without load, and T/a
// where the conditions of the model leave the part a of a processor [s]. `variant`, such as
// "nt", is null for the first one; dimensions of m, n and k that the kernel does not have are
// ignored. The alarms are dimensions outside the measured ones, the load of the host, and a load
// that is not known now: the time is then T, and its interval reaches to that with the largest load.
//
// # Safety
//
// The names are texts, `variant` may be null; `prediction` points to a struct whose `struct_size`
// is set.
enum orrery_status orrery_kernel_time(struct orrery_model model,
                                      const char *kernel,
                                      const char *variant,
                                      uint64_t m,
                                      uint64_t n,
                                      uint64_t k,
                                      const char *host,
                                      struct orrery_prediction *prediction);

// The memory of a call of a kernel on a host, with the arguments of `orrery_kernel_time`: operands
// and measured work space [B].
//
// # Safety
//
// The names are texts, `variant` may be null; `space` points to memory for a number.
enum orrery_status orrery_kernel_space(struct orrery_model model,
                                       const char *kernel,
                                       const char *variant,
                                       uint64_t m,
                                       uint64_t n,
                                       uint64_t k,
                                       const char *host,
                                       uint64_t *space);

// Reads a model file. `orrery_model_free` frees the model.
//
// # Safety
//
// `path` is a text; `model` points to memory for a handle.
enum orrery_status orrery_model_read(const char *path, struct orrery_model *model);

// Reads a model from the text of a file; messages contain `name` as the name of the file.
//
// # Safety
//
// There are `length` bytes at `content`; `name` is a text; `model` points to memory for a handle.
enum orrery_status orrery_model_parse(const char *content, size_t length, const char *name, struct orrery_model *model);

// Makes a model LMO of n processors: fixed processing delays C_i [s] and delays per byte t_i
// [s/B] of the processors, latencies L_ij [s] and delays per byte 1/β_ij [s/B] of the
// n(n−1)/2 links, in the order 0-1, 0-2, …, 1-2, ….
//
// # Safety
//
// The arrays have as many values; `model` points to memory for a handle.
enum orrery_status orrery_model_of_lmo(size_t processors,
                                       const double *fixed_delay,
                                       const double *byte_delay,
                                       const double *link_latency,
                                       const double *link_byte_delay,
                                       struct orrery_model *model);

// Writes a model to a file, which is complete or unchanged; an older model file is replaced, a file
// of another kind is not.
//
// # Safety
//
// `path` is a text.
enum orrery_status orrery_model_write(struct orrery_model model, const char *path);

// The text of a model as a file has it.
//
// # Safety
//
// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
enum orrery_status orrery_model_text(struct orrery_model model, char *buffer, size_t capacity, size_t *needed);

// Checks a model file without keeping the model. `buffer` gets its warnings, one on each line; an
// empty text for none.
//
// # Safety
//
// `path` is a text; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
// number.
enum orrery_status orrery_model_check(const char *path, char *buffer, size_t capacity, size_t *needed);

// The warnings of the file or of the estimation that a model is of, one on each line; an empty
// text for none. After an estimation, they are reasons to doubt the model: ranks that share cores,
// iterations that did not converge, suspected causes of misfit. A model of `orrery_model_now` also
// has what the conditions do not say about its hosts and links.
//
// # Safety
//
// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
enum orrery_status orrery_model_warnings(struct orrery_model model, char *buffer, size_t capacity, size_t *needed);

// Frees a model. Its handle is invalid from then on; calls of other threads that use it end as
// usual.
enum orrery_status orrery_model_free(struct orrery_model model);

// The number of processors of a model.
//
// # Safety
//
// `processors` points to memory for a number.
enum orrery_status orrery_model_processors(struct orrery_model model, size_t *processors);

// The name of the host of a processor; an empty text if it is unknown.
//
// # Safety
//
// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
enum orrery_status orrery_model_host(struct orrery_model model,
                                     size_t processor,
                                     char *buffer,
                                     size_t capacity,
                                     size_t *needed);

// The kinds of communication models in a model, separated by blanks: "hockney hockney-mean lmo".
//
// # Safety
//
// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
enum orrery_status orrery_model_kinds(struct orrery_model model, char *buffer, size_t capacity, size_t *needed);

// The values of a parameter by its name in the model file, such as "fixed_delay": one for each
// processor, for each pair 0-1, 0-2, …, 1-2, …, for each size of a function, or one. `count` gets
// their number; with a capacity below it, no value is written, and the status is
// `ORRERY_CAPACITY`.
//
// # Safety
//
// `kind_name` and `name` are texts; `values` has room for `capacity` values or is null; `count`
// points to memory for a number.
enum orrery_status orrery_model_parameter(struct orrery_model model,
                                          const char *kind_name,
                                          const char *name,
                                          struct orrery_parameter *values,
                                          size_t capacity,
                                          size_t *count);

// Replaces the values of a parameter that the model has, as many as before. Threads that predict
// meanwhile use the old or the new values. Correlations of the errors of this kind of model are
// removed.
//
// # Safety
//
// `kind_name` and `name` are texts; `values` has `count` values.
enum orrery_status orrery_model_set_parameter(struct orrery_model model,
                                              const char *kind_name,
                                              const char *name,
                                              const struct orrery_parameter *values,
                                              size_t count);

// Predicts a message of `size` bytes.
//
// # Safety
//
// `kind_name` is a text; `prediction` points to a struct whose `struct_size` is set.
enum orrery_status orrery_predict_message(struct orrery_model model,
                                          const char *kind_name,
                                          size_t from,
                                          size_t to,
                                          uint64_t size,
                                          struct orrery_prediction *prediction);

// Predicts a collective operation, such as "scatter" by "binomial", of the processors 0 to `procs`
// − 1. `size` is the block of one processor, or the vector of bcast, reduce, allreduce, scan and
// exscan. The root counts for operations that have one.
//
// # Safety
//
// The names are texts; `prediction` points to a struct whose `struct_size` is set.
enum orrery_status orrery_predict_collective(struct orrery_model model,
                                             const char *kind_name,
                                             const char *operation,
                                             const char *algorithm,
                                             size_t root,
                                             size_t procs,
                                             uint64_t size,
                                             struct orrery_prediction *prediction);

// The time of a message of `size` bytes [s] without its interval: millions of calls per second.
//
// # Safety
//
// `kind_name` is a text; `seconds` points to memory for a number.
enum orrery_status orrery_message_time(struct orrery_model model,
                                       const char *kind_name,
                                       size_t from,
                                       size_t to,
                                       uint64_t size,
                                       double *seconds);

// Predicts the time of a parallel routine, such as "pdgemm", on a grid of `rows` × `columns`
// processes with blocks of `block` × `block` elements [s]: messages by a kind of model, kernels
// as `orrery_kernel_time`, both under the conditions of the model. `variant` is null for the first
// one; dimensions of m, n and k that the routine does not have are ignored. `processors` has the
// processor of each process, row by row of the grid; null for the first ones.
//
// # Safety
//
// The names are texts, `variant` may be null; `processors` is null or has `rows` × `columns`
// numbers; `prediction` points to a struct whose `struct_size` is set.
enum orrery_status orrery_routine_time(struct orrery_model model,
                                       const char *kind_name,
                                       const char *routine,
                                       const char *variant,
                                       uint64_t m,
                                       uint64_t n,
                                       uint64_t k,
                                       uint32_t rows,
                                       uint32_t columns,
                                       uint64_t block,
                                       const size_t *processors,
                                       struct orrery_prediction *prediction);

// The memory of the operands of a parallel routine on a host, of all of its processes together, or
// the largest one of all hosts if `host` is null [B]. The other arguments are those of
// `orrery_routine_time`; the work space of the library is left out.
//
// # Safety
//
// The names are texts, `variant` and `host` may be null; `processors` is null or has `rows` ×
// `columns` numbers; `space` points to memory for a number.
enum orrery_status orrery_routine_space(struct orrery_model model,
                                        const char *routine,
                                        const char *variant,
                                        uint64_t m,
                                        uint64_t n,
                                        uint64_t k,
                                        uint32_t rows,
                                        uint32_t columns,
                                        uint64_t block,
                                        const size_t *processors,
                                        const char *host,
                                        uint64_t *space);

// The message of the last failure on this thread; empty if there was none. It is valid until the
// next call of a function of this library on this thread.
const char *orrery_error(void);

// The version of the library: "0.1.0".
const char *orrery_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ORRERY_H */
