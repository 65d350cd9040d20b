/* SPDX-License-Identifier: BSD-3-Clause */
/* The DLB library, which --cores-by dlb or auto would use. */
#include <inttypes.h>

#include "real/launch/doctor/doctor_impl.h"
#include "real/node/dlb.h"

void doctor_see_dlb(struct doctor *d)
{
        struct dlb_probe probe;
        dlb_probe(&probe);
        if (probe.usable)
                doctor_say(d, GOOD, "DLB", NULL, "%s, version %" PRId32 ".%" PRId32 ".%" PRId32,
                           probe.path, probe.major_version, probe.minor, probe.patch);
        else if (probe.path[0])
                doctor_say(d, NOTE, "DLB", "--cores-by dlb falls back to the built-in manager",
                           "%s cannot be used: %s", probe.path, probe.why);
        else
                doctor_say(d, GOOD, "DLB", "for --cores-by dlb: set LBRUN_DLB_LIB to its libdlb.so",
                           "not found; the built-in core manager is used");
}
