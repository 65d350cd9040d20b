/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target over files and all files of directories: the corpus as a regression test. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { SIZE_MAX_BYTES = 1 << 20 };

static int replay_file(const char *path)
{
        static uint8_t data[SIZE_MAX_BYTES];
        FILE *in = fopen(path, "rb");
        if (!in)
                return 0;
        size_t size = fread(data, 1, sizeof(data), in);
        fclose(in);
        LLVMFuzzerTestOneInput(data, size);
        return 1;
}

static int replay(const char *path)
{
        DIR *directory = opendir(path);
        int count = 0;
        if (!directory)
                return replay_file(path);
        for (struct dirent *entry; (entry = readdir(directory));) {
                char name[4096];
                if (entry->d_name[0] == '.')
                        continue;
                snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
                count += replay_file(name);
        }
        closedir(directory);
        return count;
}

int main(int argc, char **argv)
{
        int count = 0;
        for (int i = 1; i < argc; i++)
                count += replay(argv[i]);
        printf("%d inputs\n", count);
        return count > 0 ? 0 : 1;
}
