// The programs that players read: see src/lines.rs, which writes them.
#ifndef OPERATIONS_H
#define OPERATIONS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMERS = 8 };

enum kind { SEND, RECEIVE, POST_SEND, POST_RECEIVE, WAIT, TEST, SPIN, COMBINE, START, STOP };

struct operation {
  enum kind kind;
  int peer, tag, request; // the rank at the other end, -1 for any; the request, or the number of a timer
  long size;
  double seconds;
};

struct program {
  int processor, count;
  struct operation *operations;
};

// The programs of all ranks, and the largest number of a request.
struct batch {
  int ranks, requests;
  struct program *programs;
};

static inline void unreadable(const char *what) {
  fprintf(stderr, "player: unreadable %s\n", what);
  exit(2);
}

static inline enum kind kind_of(const char *name) {
  static const char *const names[] = {"send", "receive", "post-send", "post-receive", "wait", "test", "spin", "combine", "start", "stop"};
  for (int kind = SEND; kind <= STOP; kind++)
    if (strcmp(name, names[kind]) == 0) return (enum kind)kind;
  unreadable(name);
  return SEND;
}

static inline void free_batch(struct batch *batch) {
  for (int r = 0; r < batch->ranks; r++) free(batch->programs[r].operations);
  free(batch->programs);
  batch->programs = NULL;
  batch->ranks = 0;
}

// Reads the next batch from the input; returns 0 at its end.
static inline int read_batch(struct batch *batch) {
  free_batch(batch);
  batch->requests = 0;
  int read = scanf(" batch %d", &batch->ranks);
  if (read == EOF) return 0;
  if (read != 1 || batch->ranks < 1) unreadable("batch");
  batch->programs = (struct program *)calloc((size_t)batch->ranks, sizeof *batch->programs);
  for (int r = 0; r < batch->ranks; r++) {
    struct program *program = &batch->programs[r];
    if (scanf(" rank %d %d", &program->processor, &program->count) != 2) unreadable("rank");
    program->operations = (struct operation *)calloc((size_t)program->count + 1, sizeof *program->operations);
    for (int o = 0; o < program->count; o++) {
      struct operation *one = &program->operations[o];
      char name[16];
      if (scanf("%15s %d %ld %d %d %lf", name, &one->peer, &one->size, &one->tag, &one->request, &one->seconds) != 6)
        unreadable("operation");
      one->kind = kind_of(name);
      if (one->request > batch->requests) batch->requests = one->request;
    }
  }
  return 1;
}

// Prints the times of a rank: begin, end and the sums of the timers from 1 on.
static inline void print_times(double begin, double end, const double *sums) {
  printf("time %.15g %.15g", begin, end);
  for (int t = 1; t < TIMERS; t++) printf(" %.15g", sums[t]);
  printf("\n");
}
#endif
