/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "real/launch/plan.h"
#include "real/launch/view/frame.h"
#include "real/launch/view/screen.h"
#include "real/launch/view/viewer.h"

/* ---- The viewer's place ---- */

static void give_back_terminal(struct view *view)
{
        tcsetattr(view->terminal, TCSADRAIN, &view->modes);
        screen_repair(view->terminal);
}

/* With all signals blocked, SIGTTOU too. The viewer says 'e' as its last word; one that was killed
 * does not, and somebody must read what is printed, or the job would wait for it. */
static void *stand_by(void *given)
{
        struct view *view = given;
        char text[4096], word = 0;
        ssize_t n;
        while ((n = read(view->told, &word, 1)) > 0 || (n < 0 && errno == EINTR))
                if (n > 0 && word == 'e')
                        return NULL;
        give_back_terminal(view);
        viewer_print_kept(view->kept, view->terminal);
        while ((n = read(view->out_read, text, sizeof(text))) > 0 || (n < 0 && errno == EINTR))
                if (n > 0)
                        lb_write_all(view->terminal, text, (size_t)n);
        return NULL;
}

/* ---- Start ---- */

struct pipes {
        int out[2], wanted[2], told[2];
};

static void close_pipe(int fd[2])
{
        for (int i = 0; i < 2; i++)
                if (fd[i] >= 0)
                        close(fd[i]);
}

static void close_pipes(struct pipes *pipes)
{
        close_pipe(pipes->out);
        close_pipe(pipes->wanted);
        close_pipe(pipes->told);
}

static int open_pipes(struct pipes *pipes, struct lb_error *err)
{
        *pipes = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
        if (pipe2(pipes->out, O_CLOEXEC) == 0 && pipe2(pipes->wanted, O_CLOEXEC) == 0 &&
            pipe2(pipes->told, O_CLOEXEC) == 0)
                return 0;
        int why = errno;
        close_pipes(pipes);
        return lb_error_fail(err, "cannot make a pipe: %s", strerror(why));
}

static int find_terminal(struct view *view, struct lb_error *err)
{
        int fd = isatty(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;
        if (!isatty(fd))
                return lb_error_set(err, "--watch: neither standard output nor standard error is "
                                         "a terminal, allowed is one (ssh -t), or no --watch");
        if (screen_check(fd, err) < 0)
                return -1;
        view->terminal = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        view->kept = tmpfile();
        if (view->terminal < 0 || !view->kept || tcgetattr(view->terminal, &view->modes) < 0)
                return lb_error_fail(err, "--watch: %s", strerror(errno));
        return 0;
}

/* The grandchild, so that nobody here has to wait for it; its number comes by the pipe. */
static pid_t fork_viewer(struct view *view, struct pipes *pipes, const struct job *job)
{
        pid_t child = fork();
        if (child != 0) {
                if (child > 0)
                        waitpid(child, NULL, 0);
                return child;
        }
        if (fork() != 0)
                _exit(0);
        const struct viewer_ends ends = { .terminal = view->terminal,
                                          .out = pipes->out[0],
                                          .wanted = pipes->wanted[0],
                                          .told = pipes->told[1],
                                          .frames = view->frames,
                                          .kept = view->kept };
        close(pipes->out[1]);
        close(pipes->wanted[1]);
        close(pipes->told[0]);
        viewer_main(&ends, job);
        _exit(0);
}

static bool is_viewed(int told)
{
        char word = 0;
        ssize_t n;
        while ((n = read(told, &word, 1)) < 0 && errno == EINTR)
                continue;
        return n == 1 && word == 'v';
}

/* What is no terminal, a file say, is written as without a view. */
static void redirect(struct view *view, int out)
{
        for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
                view->saved[fd] = isatty(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
                if (view->saved[fd] >= 0)
                        dup2(out, fd);
        }
}

/* Signals are for the thread that follows the job. */
static int start_guard(struct view *view, struct lb_error *err)
{
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int why = pthread_create(&view->guard, NULL, stand_by, view);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (why)
                return lb_error_fail(err, "--watch: cannot start a thread: %s", strerror(why));
        return 0;
}

static int start(struct view *view, struct pipes *pipes, const struct plan *plan,
                 struct lb_error *err)
{
        bool forked = fork_viewer(view, pipes, plan->job) > 0;
        close(pipes->told[1]);
        pipes->told[1] = -1;
        if (!forked || !is_viewed(pipes->told[0]))
                return lb_error_fail(err, "--watch: cannot start a process");
        view->out_read = pipes->out[0];
        view->alive = pipes->wanted[1];
        view->told = pipes->told[0];
        if (start_guard(view, err) < 0)
                return -1;
        redirect(view, pipes->out[1]);
        close(pipes->out[1]);
        close(pipes->wanted[0]);
        return 0;
}

static void release(struct view *view)
{
        if (view->terminal >= 0)
                close(view->terminal);
        if (view->kept)
                fclose(view->kept);
        frames_destroy(view->frames);
}

static int expect_frames(struct view *view, const struct plan *plan, struct lb_error *err)
{
        if (plan->nodes.virtual_nodes)
                return 0;
        view->frames = frames_create(plan->job, err);
        return view->frames ? 0 : -1;
}

int view_start(struct view *view, const struct plan *plan, struct lb_error *err)
{
        struct pipes pipes;
        *view = (struct view){ .terminal = -1, .saved = { -1, -1, -1 } };
        fflush(stdout);
        if (find_terminal(view, err) < 0 || expect_frames(view, plan, err) < 0 ||
            open_pipes(&pipes, err) < 0) {
                release(view);
                return -1;
        }
        if (start(view, &pipes, plan, err) == 0)
                return 0;
        close_pipes(&pipes); /* a viewer that is there ends by that */
        release(view);
        return -1;
}

/* ---- End ---- */

void view_stop(struct view *view)
{
        fflush(stdout);
        for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
                if (view->saved[fd] < 0)
                        continue;
                dup2(view->saved[fd], fd);
                close(view->saved[fd]);
        }
        close(view->alive);
        pthread_join(view->guard, NULL);
        close(view->out_read);
        close(view->told);
        release(view);
}
