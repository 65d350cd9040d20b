/* SPDX-License-Identifier: BSD-3-Clause */
/* --virtual-cpus of a launch line: control groups in place of CPUs, for each node of --nodes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "real/launch/balance_impl.h"
#include "real/launch/command.h"

int balance_make_cpus(struct balancing *b, struct lb_error *err)
{
        const struct options *o = b->options;
        b->nnode = o->nnode > 0 ? o->nnode : 1;
        b->factor = calloc((size_t)b->nnode, sizeof(*b->factor));
        if (!b->factor)
                return lb_error_fail(err, "out of memory");
        if (!o->virtual_cpus)
                return 0;
        if (command_ready_virtual() < 0)
                return lb_error_fail(err, "out of memory");
        for (int32_t n = 0; n < b->nnode; n++)
                b->factor[n] = 1;
        if (plan_speeds(b->factor, b->nnode, o, err) < 0)
                return -1;
        if (cpu_groups_find(&b->groups, "/proc/self", b->id, err) < 0 ||
            cpu_groups_speed(0, cpu_groups_real(&b->groups), b->nnode, o->cores, b->factor,
                             &b->speed, err) < 0 ||
            cpu_groups_create(&b->groups, b->nnode, o->cores, b->factor, b->speed, err) < 0)
                return lb_error_prefix(err, "--virtual-cpus: ");
        if (!o->quiet)
                fprintf(stderr,
                        "lbrun: %" PRId32 " virtual CPUs that compute at %.3g of a real "
                        "one's speed\n",
                        b->nnode * o->cores, b->speed);
        return 0;
}
