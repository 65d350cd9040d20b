/* SPDX-License-Identifier: BSD-3-Clause */
/* Where there is no ncurses to build with. */
#include "real/launch/view/screen.h"

int screen_check(int terminal, struct lb_error *err)
{
        (void)terminal;
        return lb_error_set(err, "--watch: lbrun was built without ncurses (Debian: "
                                 "libncurses-dev), allowed is to run without --watch");
}

bool screen_open(int terminal)
{
        (void)terminal;
        return false;
}

void screen_close(void)
{
}

void screen_resize(int terminal)
{
        (void)terminal;
}

void screen_draw(const struct view_model *model, const struct view_lines *output)
{
        (void)model;
        (void)output;
}

bool screen_key(void)
{
        return false;
}

void screen_repair(int terminal)
{
        (void)terminal;
}
