/*
 * Orrery: models of clusters, predictions of communication, choices of algorithms.
 *
 * Every function returns a status. After another status than ORRERY_OK, orrery_error() describes what failed and what to do,
 * on the same thread. No function prints, exits or keeps a pointer that it was given.
 *
 * Models are named by handles, which any number of threads may use at the same time. A handle that was freed, or was never
 * made, is answered by ORRERY_HANDLE.
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
  // An argument is invalid: no such processor, unknown name, text that is not UTF-8, struct of an unknown size.
  ORRERY_ARGUMENT = 3,
  // A file or a text is no valid model, or cannot be read or written.
  ORRERY_FILE = 4,
  // The model does not contain what is asked for.
  ORRERY_MODEL = 5,
  // A buffer is too small.
  ORRERY_CAPACITY = 6,
  // A fault of the library; please report it.
  ORRERY_INTERNAL = 7,
} orrery_status;

// A model. A handle of zeros names none.
typedef struct orrery_model {
  // The number of the handle.
  uint64_t id;
} orrery_model;

// A predicted time.
typedef struct orrery_prediction {
  // Set it to `sizeof(orrery_prediction)` before a call: later versions of the library may have more fields.
  size_t struct_size;
  // The time [s]; the median if the operation may escalate.
  double seconds;
  // The lower end of the interval, with errors of the parameters and of the model, at the confidence level of the parameters,
  // usually 95 % [s]; not-a-number if it is unknown.
  double low;
  // The upper end [s].
  double high;
  // The number of reasons why the prediction may not hold although its interval is narrow; `orrery_explain_…` names them.
  uint32_t alarms;
  // 0.
  uint32_t reserved;
} orrery_prediction;

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
  // The message sizes of round trips besides 0 and that of one-to-two experiments; null for none.
  const uint64_t *sizes;
  // Their number.
  size_t size_count;
  // The message size of one-to-two experiments; 0 for 32 KiB, or less if `thresholds` finds a smaller threshold of scatter.
  uint64_t size;
  // The seed of the order of experiments.
  uint64_t seed;
  // True if experiments of different processors run at the same time, where a test shows that they do not disturb each other.
  bool parallel;
  // True to search for links that several processors share.
  bool shared_links;
  // True to measure linear scatters and gathers first, and to estimate their thresholds.
  bool thresholds;
  // True for a sixth of the one-to-two experiments: processor delays have wider intervals. On a simulated
  // cluster of 16 ranks with the speeds of Gigabit Ethernet, LMO then takes 0.83 s of the network with messages of 16 KiB.
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

// Chooses the algorithm of a collective operation, with segments from 1 KiB to 1 MiB where algorithms have them, and for scatter and
// gather with those below the thresholds of the model: the fastest one, or the first of those whose times do not differ significantly
// from it. `algorithm` gets its name, such as "knomial-4:8K", and `prediction`, unless it is null, its time.
//
// # Safety
//
// The names are texts; `algorithm` has `capacity` bytes or is null; `needed` points to memory for a number; `prediction` is null,
// or points to a struct whose `struct_size` is set.
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

// The usual options of an estimation.
struct orrery_estimation orrery_estimation_options(void);

// Estimates models of some kinds, separated by commas, on a simulated cluster whose parameters are those of the model `truth` of the
// kind `truth_kind`: what `orrery_estimate` would find with these options, and how long it would use the network.
//
// Each reading is multiplied by log-normal noise with the relative standard deviation `noise`; the seed of the options is that of
// the noise, too. Thresholds and shared links of the model are simulated. `seconds` gets the time of all experiments on the
// simulated network [s].
//
// # Safety
//
// `truth_kind` and `kinds` are texts; `options` is null, or points to options with `struct_size`; `model` points to memory for a
// handle, `seconds` to memory for a number.
enum orrery_status orrery_estimate_simulated(struct orrery_model truth,
                                             const char *truth_kind,
                                             double noise,
                                             const char *kinds,
                                             const struct orrery_estimation *options,
                                             struct orrery_model *model,
                                             double *seconds);

// Explains the predicted time of a message: a line `SECONDS FACTOR × VALUE PARAMETER` for each term, then a line for each alarm.
//
// # Safety
//
// `kind_name` is a text; `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
enum orrery_status orrery_explain_message(struct orrery_model model,
                                          const char *kind_name,
                                          size_t from,
                                          size_t to,
                                          uint64_t size,
                                          char *buffer,
                                          size_t capacity,
                                          size_t *needed);

// Explains the predicted time of a collective operation, as `orrery_explain_message` does for a message.
//
// # Safety
//
// The names are texts; `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
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

// Reads a model file. `orrery_model_free` frees the model.
//
// # Safety
//
// `path` is a text; `model` points to memory for a handle.
enum orrery_status orrery_model_read(const char *path, struct orrery_model *model);

// Reads a model from the text of a file; `name` stands for the file in messages.
//
// # Safety
//
// There are `length` bytes at `content`; `name` is a text; `model` points to memory for a handle.
enum orrery_status orrery_model_parse(const char *content, size_t length, const char *name, struct orrery_model *model);

// Makes a model LMO of n processors: fixed processing delays C_i [s] and delays per byte t_i [s/B] of the processors,
// latencies L_ij [s] and delays per byte 1/β_ij [s/B] of the n(n−1)/2 links, in the order 0-1, 0-2, …, 1-2, ….
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

// Writes a model to a file, which is complete or unchanged.
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

// Checks a model file without keeping the model. `buffer` gets its warnings, one on each line; an empty text for none.
//
// # Safety
//
// `path` is a text; `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
enum orrery_status orrery_model_check(const char *path, char *buffer, size_t capacity, size_t *needed);

// The warnings of the file or of the estimation that a model is of, one on each line; an empty text for none. After an estimation,
// they are reasons to doubt the model: ranks that share cores, iterations that did not converge, suspected causes of misfit.
//
// # Safety
//
// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
enum orrery_status orrery_model_warnings(struct orrery_model model,
                                         char *buffer,
                                         size_t capacity,
                                         size_t *needed);

// Frees a model. Its handle is invalid from then on; calls of other threads that use it end as usual.
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

// The values of a parameter by its name in the model file, such as "fixed_delay": one for each processor, for each pair 0-1, 0-2,
// …, 1-2, …, for each size of a function, or one. `count` gets their number; with a capacity below it, no value is written, and
// the status is `ORRERY_CAPACITY`.
//
// # Safety
//
// `kind_name` and `name` are texts; `values` has room for `capacity` values or is null; `count` points to memory for a number.
enum orrery_status orrery_model_parameter(struct orrery_model model,
                                          const char *kind_name,
                                          const char *name,
                                          struct orrery_parameter *values,
                                          size_t capacity,
                                          size_t *count);

// Replaces the values of a parameter that the model has, as many as before. Threads that predict meanwhile use the old or the new
// values. Correlations of the errors of this kind of model are removed.
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

// Predicts a collective operation, such as "scatter" by "binomial", of the processors 0 to `procs` − 1. `size` is the block of
// one processor, or the vector of bcast, reduce, allreduce, scan and exscan. The root counts for operations that have one.
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

// The message of the last failure on this thread; empty if there was none. It is valid until the next call of a function of this
// library on this thread.
const char *orrery_error(void);

// The version of the library: "0.1.0".
const char *orrery_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ORRERY_H */
