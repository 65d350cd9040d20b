/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/progress.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { BAR_WIDTH = 24 };

void progress_init(struct progress *progress, FILE *out)
{
        memset(progress, 0, sizeof(*progress));
        progress->out = out;
        progress->terminal = out && isatty(fileno(out)) == 1;
        progress->start_s = progress->shown_s = clock_s();
}

static void put_time(double time_s, char *text, size_t size)
{
        long long seconds = (long long)(time_s + 0.5);
        if (seconds >= 3600)
                snprintf(text, size, "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60,
                         seconds % 60);
        else
                snprintf(text, size, "%02lld:%02lld", seconds / 60, seconds % 60);
}

static void put_bar(double share, int width, char *text)
{
        int full = (int)(share * width);
        memset(text, ' ', (size_t)width);
        memset(text, '=', (size_t)full);
        if (full < width)
                text[full] = '>';
        text[width] = '\0';
}

void progress_line(const struct progress *progress, struct progress_state state, double elapsed_s,
                   int width, char *text, size_t size)
{
        double share = progress->cost > 0 ? state.cost / progress->cost : 0;
        share = share > 1 ? 1 : share;
        double rate = elapsed_s > 0 ? (double)(state.ndone - progress->nreused) / elapsed_s : 0;
        char left[32] = "--:--", bar[64] = "";
        if (share > 0)
                put_time(elapsed_s * (1 - share) / share, left, sizeof(left));
        if (width > 0) {
                bar[0] = '[';
                put_bar(share, width < 60 ? width : 60, bar + 1);
                strcat(bar, "] ");
        }
        snprintf(text, size, "%s%3d%%  %lld/%lld runs  %.*f runs/s  %s left", bar,
                 (int)(100 * share), (long long)state.ndone, (long long)progress->nrun,
                 rate < 10 ? 1 : 0, rate, left);
}

void progress_show(struct progress *progress, struct progress_state state)
{
        double now_s = clock_s();
        double period_s = progress->terminal ? 0.09 : 60;
        if (!progress->out || now_s - progress->shown_s < period_s)
                return;
        char text[160];
        progress_line(progress, state, now_s - progress->start_s,
                      progress->terminal ? BAR_WIDTH : 0, text, sizeof(text));
        fprintf(progress->out, progress->terminal ? "\r%s\033[K" : "lbsim: %s\n", text);
        fflush(progress->out);
        progress->shown_s = now_s;
        progress->drawn = true;
}

void progress_finish(struct progress *progress)
{
        if (progress->terminal && progress->drawn) {
                fputs("\r\033[K", progress->out);
                fflush(progress->out);
        }
        progress->out = NULL;
}
