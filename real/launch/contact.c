/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/contact.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- lbrun's end ---- */

static int open_port(int family)
{
        const int on = 1, off = 0;
        struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
        struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = INADDR_ANY };
        struct sockaddr *any =
            family == AF_INET6 ? (struct sockaddr *)&six : (struct sockaddr *)&four;
        socklen_t size = family == AF_INET6 ? sizeof(six) : sizeof(four);
        int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return -1;
        if (family == AF_INET6)
                setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        if (bind(fd, any, size) == 0 && listen(fd, SOMAXCONN) == 0)
                return fd;
        close(fd);
        return -1;
}

static int port_of(int fd)
{
        struct sockaddr_storage name;
        socklen_t size = sizeof(name);
        if (getsockname(fd, (struct sockaddr *)&name, &size) < 0)
                return 0;
        return ntohs(name.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&name)->sin6_port
                                                : ((struct sockaddr_in *)&name)->sin_port);
}

/* An address that another node may reach: neither of this machine alone, nor of one cable. */
static bool is_reachable(const struct ifaddrs *entry)
{
        if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP) || (entry->ifa_flags & IFF_LOOPBACK))
                return false;
        if (entry->ifa_addr->sa_family == AF_INET)
                return true;
        return entry->ifa_addr->sa_family == AF_INET6 &&
               !IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)entry->ifa_addr)->sin6_addr);
}

static void add_addresses(char *text, size_t size)
{
        struct ifaddrs *all = NULL;
        size_t at = strlen(text);
        if (getifaddrs(&all) < 0)
                return;
        for (struct ifaddrs *entry = all; entry; entry = entry->ifa_next) {
                char name[NI_MAXHOST];
                if (!is_reachable(entry))
                        continue;
                socklen_t length = entry->ifa_addr->sa_family == AF_INET
                                       ? sizeof(struct sockaddr_in)
                                       : sizeof(struct sockaddr_in6);
                if (getnameinfo(entry->ifa_addr, length, name, sizeof(name), NULL, 0,
                                NI_NUMERICHOST) == 0 &&
                    at + strlen(name) + 2 < size)
                        at += (size_t)snprintf(text + at, size - at, "%s%s",
                                               text[at - 1] == '@' ? "" : ",", name);
        }
        freeifaddrs(all);
}

int contact_listen(char *text, size_t size, char key[static CONTACT_KEY_SIZE], struct lb_error *err)
{
        unsigned char random[(CONTACT_KEY_SIZE - 1) / 2];
        if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
                return lb_error_fail(err, "no random numbers: %s", strerror(errno));
        for (size_t i = 0; i < sizeof(random); i++)
                snprintf(key + 2 * i, 3, "%02x", random[i]);
        int fd = open_port(AF_INET6);
        fd = fd >= 0 ? fd : open_port(AF_INET);
        if (fd < 0)
                return lb_error_fail(err, "cannot open a port for the other nodes: %s",
                                     strerror(errno));
        snprintf(text, size, "%d:%s@", port_of(fd), key);
        add_addresses(text, size);
        return fd;
}

/* ---- A node's end ---- */

static bool wait_until_connected(int fd, int patience_ms)
{
        int why = 0;
        socklen_t size = sizeof(why);
        struct pollfd ready = { .fd = fd, .events = POLLOUT };
        return poll(&ready, 1, patience_ms) == 1 &&
               getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why == 0;
}

static int connect_to(const char *address, const char *port)
{
        enum { PATIENCE_MS = 1500 };
        const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                        .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
        const int on = 1;
        struct addrinfo *found;
        if (getaddrinfo(address, port, &hints, &found) != 0)
                return -1;
        int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        bool connected =
            fd >= 0 && (connect(fd, found->ai_addr, found->ai_addrlen) == 0 ||
                        (errno == EINPROGRESS && wait_until_connected(fd, PATIENCE_MS)));
        freeaddrinfo(found);
        if (connected && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0)
                return fd;
        if (fd >= 0)
                close(fd);
        return -1;
}

int contact_connect(const char *text, int32_t node)
{
        char port[16] = "", copy[1024], *rest;
        struct contact_hello hello = { .node = node, .pid = (int32_t)getpid() };
        int fd = -1, length = 0;
        if (sscanf(text, "%15[0-9]:%32[0-9a-f]@%n", port, hello.key, &length) != 2 || !length)
                return -1;
        snprintf(copy, sizeof(copy), "%s", text + length);
        for (char *word = strtok_r(copy, ",", &rest); word && fd < 0;
             word = strtok_r(NULL, ",", &rest)) {
                fd = connect_to(word, port);
                if (fd >= 0 && !contact_write(fd, &hello, sizeof(hello))) {
                        close(fd);
                        fd = -1;
                }
        }
        return fd;
}

/* ---- Messages ---- */

int contact_read(int fd, struct contact_part *part, size_t size)
{
        ssize_t got = recv(fd, (char *)&part->is + part->have, size - part->have, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
                return 0;
        if (got <= 0)
                return -1;
        part->have += (size_t)got;
        if (part->have < size)
                return 0;
        part->have = 0;
        return 1;
}

/* They are small, and the other end reads: a part of one is as good as none. */
bool contact_write(int fd, const void *data, size_t size)
{
        return send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

bool contact_write_all(int fd, const void *data, size_t size)
{
        enum { PATIENCE_MS = 5000 };
        const char *at = data;
        struct pollfd ready = { .fd = fd, .events = POLLOUT };
        while (size > 0) {
                if (poll(&ready, 1, PATIENCE_MS) != 1)
                        return false;
                ssize_t sent = send(fd, at, size, MSG_DONTWAIT | MSG_NOSIGNAL);
                if (sent < 0 && errno != EAGAIN && errno != EINTR)
                        return false;
                at += sent > 0 ? sent : 0;
                size -= sent > 0 ? (size_t)sent : 0;
        }
        return true;
}
