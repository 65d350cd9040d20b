/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/news.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A name that begins with NUL is no file. */
static socklen_t name_socket(struct sockaddr_un *name, const char *job)
{
        *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
        int length = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "lbrun-%ju-%s",
                              (uintmax_t)geteuid(), job);
        return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int news_open(const char *job, struct lb_error *err)
{
        struct sockaddr_un name;
        socklen_t size = name_socket(&name, job);
        const int on = 1;
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0 &&
            bind(fd, (struct sockaddr *)&name, size) == 0)
                return fd;
        lb_error_fail(err, "cannot make a socket for the ranks: %s", strerror(errno));
        if (fd >= 0)
                close(fd);
        return -1;
}

union control {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
};

/* A stranger may have put in more than one, as far as the room's alignment lets it. */
static void keep_first(const struct cmsghdr *part, int *passed)
{
        size_t bytes = part->cmsg_len - CMSG_LEN(0);
        for (size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int)) {
                int fd;
                memcpy(&fd, CMSG_DATA(part) + at, sizeof(fd));
                if (*passed < 0)
                        *passed = fd;
                else
                        close(fd);
        }
}

/* Who sent it, by the kernel's word, and a descriptor that comes with it: -1 where there is none.
 */
static bool read_sender(struct msghdr *message, struct ucred *sender, int *passed)
{
        bool known = false;
        *passed = -1;
        for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part))
                if (part->cmsg_level != SOL_SOCKET) {
                        continue;
                } else if (part->cmsg_type == SCM_CREDENTIALS) {
                        memcpy(sender, CMSG_DATA(part), sizeof(*sender));
                        known = true;
                } else if (part->cmsg_type == SCM_RIGHTS) {
                        keep_first(part, passed);
                }
        return known;
}

static bool is_news(const struct news *news, ssize_t size, int flags)
{
        return size == sizeof(*news) && !(flags & MSG_TRUNC) && news->kind > NEWS_NONE &&
               news->kind < NEWS_NKIND;
}

bool news_receive(int fd, struct news *news, int *passed)
{
        struct iovec data = { .iov_base = news, .iov_len = sizeof(*news) };
        union control control;
        enum { STRANGERS_MAX = 64 }; /* at a time: who sends without end does not hold us here */
        for (int i = 0; i < STRANGERS_MAX; i++) {
                struct ucred sender;
                struct msghdr message = { .msg_iov = &data,
                                          .msg_iovlen = 1,
                                          .msg_control = &control,
                                          .msg_controllen = sizeof(control) };
                ssize_t size = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
                if (size < 0)
                        return false;
                bool known = read_sender(&message, &sender, passed);
                if (!is_news(news, size, message.msg_flags) || !known || sender.uid != geteuid()) {
                        if (*passed >= 0)
                                close(*passed);
                        continue; /* no keeper's */
                }
                news->sender = sender.pid;
                news->node = -1;
                news->what[sizeof(news->what) - 1] = '\0';
                return true;
        }
        return false;
}

static void pass_along(struct msghdr *message, union control *control, int pass)
{
        *control = (union control){ .head = { .cmsg_len = CMSG_LEN(sizeof(pass)),
                                              .cmsg_level = SOL_SOCKET,
                                              .cmsg_type = SCM_RIGHTS } };
        memcpy(CMSG_DATA(&control->head), &pass, sizeof(pass));
        message->msg_control = control;
        message->msg_controllen = CMSG_SPACE(sizeof(pass));
}

bool news_send(const char *job, const struct news *news, int pass)
{
        struct sockaddr_un name;
        socklen_t size = name_socket(&name, job);
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return false;
        const struct timeval patience = { .tv_sec = 1 };
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        int flags = news->kind == NEWS_BEAT ? MSG_DONTWAIT : 0;
        struct iovec data = { .iov_base = (void *)(uintptr_t)news, .iov_len = sizeof(*news) };
        struct msghdr message = {
                .msg_name = &name, .msg_namelen = size, .msg_iov = &data, .msg_iovlen = 1
        };
        union control control;
        ssize_t sent;
        if (pass >= 0)
                pass_along(&message, &control, pass);
        do
                sent = sendmsg(fd, &message, flags);
        while (sent < 0 && errno == EINTR);
        bool waits = sent < 0 && errno == EAGAIN && news->kind == NEWS_BEAT;
        close(fd);
        return sent == sizeof(*news) || waits;
}
