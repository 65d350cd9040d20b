/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "real/node/cores.h"
#include "real/node/dlb.h"

/* With CORES_BY_AUTO, DLB need not be there. */
static bool is_missed(enum cores_by by)
{
        struct dlb_probe probe;
        if (by == CORES_BY_DLB)
                return true;
        dlb_probe(&probe);
        return probe.path[0] != '\0';
}

static void note_fallback(struct cores_choice *choice, const struct cores_spec *spec,
                          const struct lb_error *why)
{
        snprintf(choice->note, sizeof(choice->note),
                 "node %" PRId32 ": cores are managed by the built-in manager, not by DLB: %s",
                 spec->node, why->text);
}

int cores_choose(struct cores_choice *choice, enum cores_by by, const struct cores_spec *spec,
                 struct lb_error *err)
{
        struct lb_error why;
        *choice = (struct cores_choice){ .type = &cores_dlb };
        if (by != CORES_BY_BUILTIN)
                choice->cores = cores_dlb.open(spec, &why);
        if (choice->cores)
                return 0;
        choice->type = &cores_builtin;
        choice->cores = cores_builtin.open(spec, err);
        if (!choice->cores)
                return -1;
        if (by != CORES_BY_BUILTIN && spec->worker == 0 && is_missed(by))
                note_fallback(choice, spec, &why);
        return 0;
}
