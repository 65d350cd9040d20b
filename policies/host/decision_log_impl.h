/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_HOST_DECISION_LOG_IMPL_H
#define LB_POLICIES_HOST_DECISION_LOG_IMPL_H

#include "policies/host/decision_log.h"

/*
 * How a log's lines are written (decision_log.c), for what stands in them (decision_log_record.c).
 */
enum { LOG_PATH_SIZE = 1040, LOG_FIRST_SIZE = 128 };

struct decision_log {
        int fd;
        bool joined; /* the file is another writer's */
        const char *program;
        struct lb_error *failure; /* who is told; NULL: standard error */
        char path[LOG_PATH_SIZE];
        char first[LOG_FIRST_SIZE]; /* of the file, up to the id */
        int32_t writer;
        int64_t nrecord;
        int32_t nalloc, nlend, nplace,
            nprocess; /* workers that the policies' states were made for */
        char *text;
        size_t used, size;
        size_t line; /* where the line being written begins */
        bool failed;
};

/* Begin a record; false where there is nobody to tell. */
bool log_begin(struct decision_log *log, const char *what);
void log_end(struct decision_log *log);

/* A field each, or `count` of them. Numbers exactly. */
void log_put_word(struct decision_log *log, const char *word);
void log_put_int(struct decision_log *log, int64_t value);
void log_put_ints(struct decision_log *log, const int32_t *value, int32_t count);
void log_put_number(struct decision_log *log, double value);
void log_put_numbers(struct decision_log *log, const double *value, int32_t count);
void log_put_switches(struct decision_log *log, const bool *value, int32_t count);

#endif
