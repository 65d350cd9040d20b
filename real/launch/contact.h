/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_LAUNCH_CONTACT_H
#define LB_REAL_LAUNCH_CONTACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "real/launch/news.h"

/*
 * How lbrun and a job's other nodes find each other: by TCP, to a port of lbrun's host that is open
 * while the job runs. "PORT:KEY@ADDRESS,ADDRESS..." travels in the job; the key is random, and who
 * does not say it first is not listened to.
 *
 * On the wire are whole structures: all nodes run the same lbrun.
 */
enum {
        CONTACT_KEY_SIZE = 33,
        CONTACT_VIEW = 0,    /* lbrun wants a view of the node */
        CONTACT_ASK = -1,    /* it wants to hear when all news so far have been sent */
        CONTACT_END = -2,    /* all ranks have ended: what they have left behind is killed */
        CONTACT_ESTATES = -3 /* it wants what the ranks have left (NEWS_ESTATE) */
};

struct contact_hello {
        char key[CONTACT_KEY_SIZE];
        int32_t node, pid;
};

/* Open the port and make the text. Returns the descriptor, not blocking, or -1. */
int contact_listen(char *text, size_t size, char key[static CONTACT_KEY_SIZE],
                   struct lb_error *err) LB_MUST_CHECK;

/* From a node: connect to the first address that can be reached within some seconds, and say hello.
 * Returns a descriptor, not blocking, or -1. */
int contact_connect(const char *text, int32_t node);

/* A message at a time: a structure that comes in parts. */
struct contact_part {
        union {
                struct contact_hello hello;
                struct news news;
                int32_t signal; /* of the system, or CONTACT_* */
        } is;
        size_t have;
};

/* 1: `size` bytes are there, and the part is empty again; 0: not yet; -1: the other end is gone. */
int contact_read(int fd, struct contact_part *part, size_t size);

/* Whole or not at all; false where it cannot be sent now. */
bool contact_write(int fd, const void *data, size_t size);

/* However much it is, while the other end takes some of it now and then; false: it does not. */
bool contact_write_all(int fd, const void *data, size_t size);

#endif
