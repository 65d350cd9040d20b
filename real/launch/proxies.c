/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/proxies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "real/launch/hosts.h"

void proxies_finish(struct proxies *proxies)
{
        free(proxies->proxy);
        *proxies = (struct proxies){ 0 };
}

static struct proxy *find(struct proxies *proxies, pid_t pid)
{
        for (int32_t i = 0; i < proxies->count; i++)
                if (proxies->proxy[i].pid == pid)
                        return &proxies->proxy[i];
        size_t size = (size_t)(proxies->count + 1) * sizeof(struct proxy);
        struct proxy *larger = realloc(proxies->proxy, size);
        if (!larger)
                return NULL;
        proxies->proxy = larger;
        struct proxy *new = &larger[proxies->count++];
        *new = (struct proxy){ .pid = pid };
        return new;
}

/* They are no paths with blanks: what is cut in two names no node. */
static void read_words(struct proxy *proxy)
{
        char path[64], words[sizeof(proxy->words)];
        snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)proxy->pid);
        ssize_t size = lb_text_file(path, words, sizeof(words));
        if (size <= 0)
                return;
        for (ssize_t i = 0; i < size; i++)
                if (words[i] == '\0')
                        words[i] = ' ';
        memcpy(proxy->words, words, (size_t)size + 1);
}

/* It has another command line where it has become another program, which shows in its name. */
static void take(void *user, pid_t pid, const char *name, bool dead)
{
        struct proxy *proxy = find(user, pid);
        if (!proxy || proxy->dead)
                return;
        proxy->dead = dead;
        if (!dead && (!proxy->words[0] || strcmp(proxy->name, name) != 0))
                read_words(proxy);
        snprintf(proxy->name, sizeof(proxy->name), "%s", name);
}

int32_t proxies_look(struct proxies *proxies, pid_t launcher)
{
        int32_t dead = 0;
        family_children(launcher, take, proxies);
        for (int32_t i = 0; i < proxies->count; i++)
                dead += proxies->proxy[i].dead;
        return dead;
}

/* The proxy of the launcher's own machine is started without anything in between. */
static const char *host_of(const struct proxy *proxy, const struct hosts *hosts)
{
        char here[256] = "";
        gethostname(here, sizeof(here) - 1);
        bool own = strstr(proxy->name, "_proxy") != NULL;
        return hosts_named(hosts, own ? here : proxy->words);
}

const struct proxy *proxies_lost(const struct proxies *proxies, const struct hosts *hosts,
                                 const char **host)
{
        const struct proxy *lost = NULL;
        int32_t dead = 0;
        *host = "";
        for (int32_t i = 0; i < proxies->count; i++) {
                const struct proxy *proxy = &proxies->proxy[i];
                const char *name = proxy->dead ? host_of(proxy, hosts) : NULL;
                dead += proxy->dead;
                if (proxy->dead && !**host)
                        lost = proxy;
                if (name && !**host)
                        *host = name;
        }
        return dead > hosts_done(hosts) ? lost : NULL;
}
