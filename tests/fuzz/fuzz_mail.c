/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What workers tell each other (real/control/mail.c): mails of any bytes come to the controls of a
 * job that goes on, in steps. Three bytes say what comes next: 0 lets so many steps pass; else a
 * mail for a worker, so many bytes. The first byte is the system.
 */
#include "tests/fuzz/fuzz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/real/control/world.h"

enum { STEPS_MAX = 40, RECORDS_MAX = 64, DEGREE = 2 };

static const char *const systems[] = { "local", "global", "tight", "dynamic" };

static struct world_spec spec_of(uint8_t choice)
{
        return (struct world_spec){
                .system = systems[choice % 4],
                .nnode = 2,
                .ncore = 4,
                .napprank = 2,
                .degree = DEGREE,
                .no_lewi = choice & 4,
                .no_drom = choice & 8,
                .boundary = choice & 16,
                .asks = choice & 32,
                .ntask = { 30, 10 },
                .task_ms = { 5, 3 },
                .poll_s = 0.01,
        };
}

static void deliver(struct world *world, int32_t worker, const uint8_t *body, size_t bytes)
{
        struct control *control = world->worker[worker].control;
        int32_t place = control_mail_arrived(control, body, bytes);
        if (place < -1 || place >= DEGREE)
                abort();
        if (place > 0 && control_asked(control))
                control_answer(control, place, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (size < 4)
                return 0;
        struct world_spec spec = spec_of(data[0]);
        struct world *world = world_create(&spec);
        world_create_tasks(world);
        const uint8_t *at = data + 1, *end = data + size;
        for (int i = 0; i < RECORDS_MAX && end - at >= 3; i++) {
                size_t bytes = at[2];
                if (at[0] == 0) {
                        for (int k = 0; k < at[1] % STEPS_MAX; k++)
                                world_step(world);
                        at += 3;
                        continue;
                }
                bytes = bytes < (size_t)(end - at) - 3 ? bytes : (size_t)(end - at) - 3;
                deliver(world, at[1] % world->job->nworker, at + 3, bytes);
                at += 3 + bytes;
        }
        world_destroy(world);
        return 0;
}
