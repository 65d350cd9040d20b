/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/view/viewer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "real/launch/view/model.h"
#include "real/launch/view/screen.h"

enum { LOOK_MS = 200 };

struct viewer {
        const struct viewer_ends *ends;
        struct view_model *model;
        struct view_lines printed;
        int signals;
        bool draws;    /* there is to be a view */
        bool shown;    /* it is on the terminal */
        bool ended;    /* nobody can print any more */
        bool unwanted; /* lbrun wants no view */
        bool told;     /* lbrun knows that all has been printed */
};

void viewer_print_kept(FILE *kept, int terminal)
{
        char text[4096];
        int fd = fileno(kept);
        lseek(fd, 0, SEEK_SET);
        for (ssize_t n; (n = read(fd, text, sizeof(text))) > 0;)
                lb_write_all(terminal, text, (size_t)n);
}

/* ---- The view ---- */

/* Stopped and gone on in the background, the terminal is the shell's. */
static bool is_in_front(int terminal)
{
        pid_t front = tcgetpgrp(terminal);
        return front < 0 || front == getpgrp();
}

static void hide(struct viewer *viewer)
{
        if (viewer->shown)
                screen_close();
        viewer->shown = false;
}

/* From here on what is printed goes to the terminal, after what was kept. */
static void end_view(struct viewer *viewer)
{
        if (!viewer->draws)
                return;
        hide(viewer);
        viewer->draws = false;
        viewer_print_kept(viewer->ends->kept, viewer->ends->terminal);
}

static void draw(struct viewer *viewer)
{
        if (!viewer->draws || !is_in_front(viewer->ends->terminal))
                return;
        if (!viewer->shown && !screen_open(viewer->ends->terminal)) {
                end_view(viewer);
                return;
        }
        viewer->shown = true;
        view_model_look(viewer->model, clock_ns());
        screen_draw(viewer->model, &viewer->printed);
}

/* ---- What happens ---- */

static void take_printed(struct viewer *viewer)
{
        char text[4096];
        ssize_t n = read(viewer->ends->out, text, sizeof(text));
        if (n == 0)
                viewer->ended = true;
        if (n <= 0)
                return;
        if (!viewer->draws) {
                lb_write_all(viewer->ends->terminal, text, (size_t)n);
                return;
        }
        lb_write_all(fileno(viewer->ends->kept), text, (size_t)n);
        view_lines_add(&viewer->printed, text, (size_t)n);
}

static void take_signals(struct viewer *viewer)
{
        struct signalfd_siginfo info;
        while (read(viewer->signals, &info, sizeof(info)) == sizeof(info)) {
                if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP)
                        end_view(viewer);
                else if (info.ssi_signo == SIGWINCH && viewer->shown)
                        screen_resize(viewer->ends->terminal);
                else if (info.ssi_signo == SIGTSTP) {
                        hide(viewer);
                        raise(SIGSTOP);
                }
        }
}

static void take_wanted(struct viewer *viewer)
{
        char byte;
        if (read(viewer->ends->wanted, &byte, 1) > 0)
                return;
        viewer->unwanted = true;
        end_view(viewer);
}

static void tell_end(struct viewer *viewer)
{
        if (!viewer->told)
                lb_write_all(viewer->ends->told, "e", 1);
        viewer->told = true;
}

static void look(struct viewer *viewer)
{
        struct pollfd fd[] = {
                { .fd = viewer->ends->out, .events = POLLIN },
                { .fd = viewer->signals, .events = POLLIN },
                { .fd = viewer->unwanted ? -1 : viewer->ends->wanted, .events = POLLIN },
                { .fd = viewer->shown ? viewer->ends->terminal : -1, .events = POLLIN },
        };
        bool waits = viewer->draws || (viewer->unwanted && !viewer->told);
        int found = poll(fd, sizeof(fd) / sizeof(fd[0]), waits ? LOOK_MS : -1);
        if (found == 0 && viewer->unwanted)
                tell_end(viewer); /* something that lbrun does not know of may print for ever */
        if (found <= 0)
                return;
        if (fd[0].revents)
                take_printed(viewer);
        if (fd[1].revents)
                take_signals(viewer);
        if (fd[2].revents)
                take_wanted(viewer);
        if (viewer->shown && fd[3].revents & POLLIN && !screen_key())
                end_view(viewer);
        if (fd[3].revents & (POLLHUP | POLLERR))
                end_view(viewer); /* the terminal is gone */
}

/* Ctrl-C is for the job, whose end ends the view; drawing must not stop us in the background. */
static int open_signals(void)
{
        static const int caught[] = { SIGTERM, SIGHUP, SIGWINCH, SIGTSTP };
        static const int ignored[] = {
                SIGINT, SIGQUIT, SIGPIPE, SIGTTOU, SIGTTIN, SIGUSR1, SIGUSR2
        };
        sigset_t set;
        sigemptyset(&set);
        for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
                sigaddset(&set, caught[i]);
        for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
                signal(ignored[i], SIG_IGN);
        sigprocmask(SIG_SETMASK, &set, NULL);
        return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void viewer_main(const struct viewer_ends *ends, const struct job *job)
{
        struct lb_error err;
        static struct viewer viewer;
        viewer = (struct viewer){ .ends = ends, .signals = open_signals() };
        viewer.model = view_model_create(job, ends->frames, clock_ns(), &err);
        viewer.draws = viewer.model && viewer.signals >= 0;
        lb_write_all(ends->told, "v", 1);
        int64_t due_ns = 0;
        while (!viewer.ended) {
                if (clock_ns() >= due_ns) { /* not for every word that is printed */
                        draw(&viewer);
                        due_ns = clock_ns() + LOOK_MS * INT64_C(500000);
                }
                look(&viewer);
        }
        end_view(&viewer);
        tell_end(&viewer);
        view_model_destroy(viewer.model);
}
