/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks tell each other about tasks and data (real/runtime/message.c and its callers):
 * messages of any bytes come to the ranks of a job that goes on, under simulated time
 * (tests/real/runtime/late_world.h). They are refused, or change nothing: the job ends with the
 * memory that its tasks make. Five bytes say what comes next: steps, kind, rank, from whom, and so
 * many bytes. The first three are the job.
 *
 * Not given: an address that a rank knows again, in a message that is otherwise right, and a
 * function.
 */
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/real/runtime/late_world.h"

enum { RECORDS_MAX = 32, HEAD = 5, BODY_MAX = 255, STEPS = 100000 };

/* Kinds that give back an address, which is believed: they come in a length that none has. */
static size_t length(int32_t kind, size_t bytes)
{
        bool returns = kind == MESSAGE_FINISHED || kind == MESSAGE_OFFER || kind == MESSAGE_TAKE ||
                       kind == MESSAGE_GONE;
        return returns ? bytes | 1 : bytes;
}

/* Numbers of pieces and addresses that there are not, and code that nobody has. */
static void spoil(int32_t kind, unsigned char *body, size_t bytes)
{
        if (kind == MESSAGE_TASK && bytes >= 24)
                memset(body + 16, 0xff, 8);
        if ((kind == MESSAGE_COPY || kind == MESSAGE_DATA || kind == MESSAGE_CANCEL) && bytes >= 8)
                body[7] |= 0x80;
        if (kind == MESSAGE_COPY && bytes >= 16)
                body[15] |= 0x80;
}

static void give(struct late_world *world, const uint8_t *record, size_t bytes)
{
        static const uint8_t kinds[] = { MESSAGE_TASK,  MESSAGE_FINISHED, MESSAGE_COPY,
                                         MESSAGE_DATA,  MESSAGE_LOAD,     MESSAGE_OUTPUT,
                                         MESSAGE_OFFER, MESSAGE_TAKE,     MESSAGE_CANCEL,
                                         MESSAGE_GONE };
        _Alignas(16) unsigned char body[BODY_MAX + 1] = { 0 };
        int32_t kind = kinds[record[1] % sizeof(kinds)];
        struct transport_message message = { .source = record[3] % world->nrank,
                                             .kind = kind,
                                             .body = body,
                                             .body_bytes = length(kind, bytes) };
        memcpy(body, record + HEAD, bytes);
        spoil(kind, body, bytes);
        late_give(world, &message, record[2] % world->nrank);
}

static struct late_spec spec_of(const uint8_t *data)
{
        struct late_spec spec = {
                .seed = data[0], .napprank = 1 + data[1] % 3, .ntask = 8, .rounds = 1
        };
        spec.migrates = data[1] & 64;
        spec.ncore = 1 + data[2] % LATE_CORES;
        spec.nplace = spec.migrates ? 1 : 1 + data[2] / LATE_CORES % spec.napprank;
        if (spec.nplace > LATE_RANKS / spec.napprank)
                spec.nplace = LATE_RANKS / spec.napprank;
        return spec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (size < 3)
                return 0;
        struct late_spec spec = spec_of(data);
        struct late_world *world = late_create(&spec);
        const uint8_t *at = data + 3, *end = data + size;
        for (int i = 0; i < RECORDS_MAX && end - at >= HEAD; i++) {
                size_t rest = (size_t)(end - at) - HEAD, bytes = at[4] < rest ? at[4] : rest;
                for (int k = 0; k < at[0]; k++)
                        late_step(world);
                give(world, at, bytes);
                at += HEAD + bytes;
        }
        for (int k = 0; k < STEPS && !late_is_over(world); k++)
                late_step(world);
        if (!late_is_over(world)) {
                late_describe(world);
                abort();
        }
        late_destroy(world);
        return 0;
}
