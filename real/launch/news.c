/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/news.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
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
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0 && bind(fd, (struct sockaddr *)&name, size) == 0)
                return fd;
        lb_error_fail(err, "cannot make a socket for the ranks: %s", strerror(errno));
        if (fd >= 0)
                close(fd);
        return -1;
}

bool news_receive(int fd, struct news *news)
{
        return recv(fd, news, sizeof(*news), 0) == sizeof(*news);
}

bool news_send(const char *job, const struct news *news)
{
        struct sockaddr_un name;
        socklen_t size = name_socket(&name, job);
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return false;
        ssize_t sent;
        do
                sent = sendto(fd, news, sizeof(*news), 0, (struct sockaddr *)&name, size);
        while (sent < 0 && errno == EINTR);
        close(fd);
        return sent == sizeof(*news);
}
