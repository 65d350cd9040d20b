/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* O_TMPFILE */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static void write_text(const char *path, const char *text)
{
        struct lb_file file;
        struct lb_error err;
        if (lb_file_create(&file, path, &err) < 0)
                fail_msg("%s", err.text);
        fputs(text, file.stream);
        if (lb_file_commit(&file, &err) < 0)
                fail_msg("%s", err.text);
}

static void assert_holds(const char *path, const char *text)
{
        char found[128] = "";
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        size_t size = fread(found, 1, sizeof(found) - 1, in);
        fclose(in);
        found[size] = '\0';
        assert_string_equal(found, text);
}

static int count_entries(const char *directory)
{
        int count = 0;
        DIR *dir = opendir(directory);
        assert_non_null(dir);
        for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
                count += entry->d_name[0] != '.';
        closedir(dir);
        return count;
}

/* Each test has an empty directory "d". */
static int set_up(void **state)
{
        (void)state;
        return system("rm -rf d && mkdir d");
}

/* A file appears under its name only when committed, replaces the old one, and leaves nothing else.
 */
static void test_commit(void **state)
{
        (void)state;
        struct lb_file file;
        struct lb_error err;
        write_text("d/a", "old");
        assert_int_equal(lb_file_create(&file, "d/a", &err), 0);
        fputs("new", file.stream);
        fflush(file.stream);
        assert_holds("d/a", "old");
        assert_int_equal(lb_file_commit(&file, &err), 0);
        assert_holds("d/a", "new");
        assert_int_equal(count_entries("d"), 1);
}

/* The user's umask decides who may read. */
static void test_mode(void **state)
{
        (void)state;
        struct stat status;
        mode_t mask = umask(027);
        write_text("d/a", "x");
        umask(mask);
        assert_int_equal(stat("d/a", &status), 0);
        assert_int_equal(status.st_mode & 0777, 0640);
}

/* Given up, a file was never there; giving up twice is fine. */
static void test_abandon(void **state)
{
        (void)state;
        struct lb_file file;
        struct lb_error err;
        write_text("d/a", "old");
        assert_int_equal(lb_file_create(&file, "d/a", &err), 0);
        fputs("new", file.stream);
        lb_file_abandon(&file);
        lb_file_abandon(&file);
        assert_holds("d/a", "old");
        assert_int_equal(count_entries("d"), 1);
}

/* A pipe (and so a device) is written to as it is, never replaced. */
static void test_pipe(void **state)
{
        (void)state;
        struct stat status;
        assert_int_equal(mkfifo("d/pipe", 0600), 0);
        int reader = open("d/pipe", O_RDWR | O_NONBLOCK);
        assert_true(reader >= 0);
        write_text("d/pipe", "told");
        char found[8] = "";
        assert_int_equal(read(reader, found, sizeof(found) - 1), 4);
        assert_string_equal(found, "told");
        close(reader);
        assert_int_equal(stat("d/pipe", &status), 0);
        assert_true(S_ISFIFO(status.st_mode));
        assert_int_equal(count_entries("d"), 1);
}

/* A stream that leads to a file is written on, not begun anew: others write there, too. */
static void test_stream(void **state)
{
        (void)state;
        char name[64];
        int fd = open("d/a", O_WRONLY | O_CREAT | O_APPEND, 0666);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, "one ", 4), 4);
        snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
        write_text(name, "two ");
        assert_int_equal(write(fd, "three", 5), 5);
        close(fd);
        assert_holds("d/a", "one two three");
        assert_int_equal(count_entries("d"), 1);
}

/* Through a symbolic link, the file it leads to is replaced. */
static void test_link(void **state)
{
        (void)state;
        struct stat status;
        write_text("d/a", "old");
        assert_int_equal(symlink("a", "d/link"), 0);
        write_text("d/link", "new");
        assert_holds("d/a", "new");
        assert_int_equal(lstat("d/link", &status), 0);
        assert_true(S_ISLNK(status.st_mode));
        assert_int_equal(count_entries("d"), 2);
}

/* A link to a file that is not there makes the file, and stays; one that leads nowhere is an error,
 * and stays. */
static void test_dangling_link(void **state)
{
        (void)state;
        struct lb_file file;
        struct lb_error err;
        struct stat status;
        assert_int_equal(symlink("a", "d/link"), 0);
        assert_int_equal(symlink("link", "d/second"), 0);
        write_text("d/second", "new");
        assert_holds("d/a", "new");
        assert_int_equal(symlink("none/a", "d/nowhere"), 0);
        assert_int_equal(lb_file_create(&file, "d/nowhere", &err), -1);
        assert_string_equal(err.text, "cannot write 'd/nowhere': No such file or directory");
        assert_int_equal(symlink("loop", "d/loop"), 0);
        assert_int_equal(lb_file_create(&file, "d/loop", &err), -1);
        assert_string_equal(err.text, "cannot write 'd/loop': Too many levels of symbolic links");
        static const char *const links[] = { "d/link", "d/second", "d/nowhere", "d/loop" };
        for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
                assert_int_equal(lstat(links[i], &status), 0);
                assert_true(S_ISLNK(status.st_mode));
        }
        assert_int_equal(count_entries("d"), 5);
}

/* A full disk is reported with the reason, exit code 1, and the old file is untouched. */
static void test_full_disk(void **state)
{
        (void)state;
        struct lb_file file;
        struct lb_error err;
        struct stat device;
        if (stat("/dev/full", &device) != 0 || !S_ISCHR(device.st_mode))
                skip();
        write_text("d/a", "old");
        assert_int_equal(lb_file_create(&file, "d/a", &err), 0);
        file.stream = freopen("/dev/full", "w", file.stream);
        assert_non_null(file.stream);
        fputs("new", file.stream);
        assert_int_equal(lb_file_commit(&file, &err), -1);
        assert_string_equal(err.text, "cannot write 'd/a': No space left on device");
        assert_int_equal(lb_error_exit_code(&err), 1);
        assert_holds("d/a", "old");
        assert_int_equal(count_entries("d"), 1);
}

/* Likewise where the write fails long before the commit: the limit on file sizes stands for the
 * disk. */
static void test_size_limit(void **state)
{
        (void)state;
        struct lb_file file;
        struct lb_error err;
        struct rlimit old, low;
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
        low = old;
        low.rlim_cur = 8192;
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(lb_file_create(&file, "d/a", &err), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        for (int i = 0; i < 100000; i++)
                fputs("many words\n", file.stream);
        int status = lb_file_commit(&file, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, -1);
        assert_string_equal(err.text, "cannot write 'd/a': File too large");
        assert_int_equal(count_entries("d"), 0);
}

/* Also where nothing is left to be written when it is committed. */
static void test_size_limit_at_once(void **state)
{
        (void)state;
        static const char much[1 << 16];
        struct lb_file file;
        struct lb_error err;
        struct rlimit old, low;
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
        low = old;
        low.rlim_cur = 8192;
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(lb_file_create(&file, "d/a", &err), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        assert_true(fwrite(much, 1, sizeof(much), file.stream) < sizeof(much));
        int status = lb_file_commit(&file, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, -1);
        assert_string_equal(err.text, "cannot write 'd/a': File too large");
        assert_int_equal(count_entries("d"), 0);
}

/* Names that cannot be written say why, at once or when committed. */
static void test_bad_names(void **state)
{
        (void)state;
        struct lb_file file;
        struct lb_error err;
        assert_int_equal(lb_file_create(&file, "d/missing/a", &err), -1);
        assert_string_equal(err.text, "cannot write 'd/missing/a': No such file or directory");
        write_text("d/a", "x");
        assert_int_equal(lb_file_create(&file, "d/a/b", &err), -1);
        assert_string_equal(err.text, "cannot write 'd/a/b': Not a directory");
        assert_int_equal(mkdir("d/directory", 0777), 0);
        assert_int_equal(lb_file_create(&file, "d/directory", &err), 0);
        assert_int_equal(lb_file_commit(&file, &err), -1);
        assert_string_equal(err.text, "cannot write 'd/directory': Is a directory");
        assert_int_equal(symlink("directory", "d/link"), 0);
        assert_int_equal(lb_file_create(&file, "d/link", &err), 0);
        assert_int_equal(lb_file_commit(&file, &err), -1);
        assert_string_equal(err.text, "cannot write 'd/directory': Is a directory");
        assert_int_equal(count_entries("d"), 3);
}

/* What could not be written is known before there is anything to write, and the user is told that
 * the name is wrong; nothing is left of trying. */
static void test_check(void **state)
{
        (void)state;
        static const struct {
                const char *path, *message;
        } rows[] = {
                { "d/missing/a", "cannot write 'd/missing/a': No such file or directory" },
                { "d/a/b", "cannot write 'd/a/b': Not a directory" },
                { "d/directory", "cannot write 'd/directory': Is a directory" },
                { "d/link", "cannot write 'd/link': Is a directory" },
                { "d/new/", "cannot write 'd/new/': No such file or directory" },
                { "/proc/x", "cannot write '/proc/x': No such file or directory" },
                { "", "cannot write '': No such file or directory" },
        };
        char longest[256] = "d/";
        struct lb_error err;
        write_text("d/a", "x");
        assert_int_equal(mkdir("d/directory", 0777), 0);
        assert_int_equal(symlink("directory", "d/link"), 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                assert_int_equal(lb_file_check(rows[i].path, &err), -1);
                assert_string_equal(err.text, rows[i].message);
                assert_int_equal(err.kind, LB_ERROR_INPUT);
        }
        memset(longest + 2, 'x', 252);
        assert_int_equal(lb_file_check(longest, &err), -1);
        assert_non_null(strstr(err.text, "File name too long"));
        assert_int_equal(lb_file_check("d/a", &err), 0);
        assert_int_equal(lb_file_check("d/new", &err), 0);
        assert_int_equal(lb_file_check("/dev/null", &err), 0);
        assert_int_equal(count_entries("d"), 3);
        assert_holds("d/a", "x");
}

/* Two names of what would be one file, there or not; a device takes what several write. */
static void test_same(void **state)
{
        (void)state;
        static const struct {
                const char *a, *b;
                bool same;
        } rows[] = {
                { "d/a", "d/a", true },
                { "d/a", "d/b", false },
                { "d/a", "./d/../d//a", true },
                { "d/new", "d/inner/../new", true },
                { "d/a", "d/inner/a", false },
                { "d/a", "d/to_a", true },
                { "d/new", "d/to_new", true },
                { "d/to_a", "d/to_new", false },
                { "d/a", "d/outer/a", true },
                { "d/missing/a", "d/missing/a", false },
                { "/dev/null", "/dev/null", false },
                { "", "", false },
        };
        struct lb_error err;
        write_text("d/a", "x");
        assert_int_equal(mkdir("d/inner", 0777), 0);
        assert_int_equal(symlink("a", "d/to_a"), 0);
        assert_int_equal(symlink("new", "d/to_new"), 0);
        assert_int_equal(symlink(".", "d/outer"), 0);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                if (lb_file_same(rows[i].a, rows[i].b) != rows[i].same ||
                    lb_file_same(rows[i].b, rows[i].a) != rows[i].same)
                        fail_msg("'%s' and '%s'", rows[i].a, rows[i].b);
        }
        assert_int_equal(lb_file_apart("d/a", "--in", "d/b", "--out", &err), 0);
        assert_int_equal(lb_file_apart("d/a", "--in", "d/to_a", "--out", &err), -1);
        assert_string_equal(err.text, "--in and --out: both are 'd/to_a'");
}

/* Directories are made with their parents; those that exist are fine; a file in the way is not. */
static void test_directories(void **state)
{
        (void)state;
        struct lb_error err;
        struct stat status;
        assert_int_equal(lb_make_directory("d/one/two//three/", &err), 0);
        assert_int_equal(stat("d/one/two/three", &status), 0);
        assert_int_equal(lb_make_directory("d/one/two/three", &err), 0);
        assert_int_equal(lb_make_directory(".", &err), 0);
        write_text("d/file", "x");
        assert_int_equal(lb_make_directory("d/file/below", &err), -1);
        assert_string_equal(err.text, "cannot make directory 'd/file': Not a directory");
        assert_int_equal(lb_make_directory("d/file", &err), -1);
        assert_int_equal(lb_make_directory("", &err), -1);
}

/* A process that is killed while it writes leaves nothing, where files can be without a name. */
static void test_killed(void **state)
{
        (void)state;
        int unnamed = open("d", O_WRONLY | O_TMPFILE, 0666);
        if (unnamed < 0)
                skip();
        close(unnamed);
        write_text("d/file", "before");
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                struct lb_file file;
                struct lb_error err;
                if (lb_file_create(&file, "d/file", &err) < 0)
                        _exit(1);
                fputs("half", file.stream);
                fflush(file.stream);
                kill(getpid(), SIGKILL);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_int_equal(count_entries("d"), 1);
        assert_holds("d/file", "before");
}

/* Another program can write the file by its name, until it is finished. */
static void test_open_name(void **state)
{
        (void)state;
        char name[256], command[512];
        struct lb_file file;
        struct lb_error err;
        assert_int_equal(lb_file_create(&file, "d/file", &err), 0);
        lb_file_open_name(&file, name, sizeof(name));
        snprintf(command, sizeof(command), "printf other >%s", name);
        assert_int_equal(system(command), 0);
        assert_int_equal(lb_file_commit(&file, &err), 0);
        assert_holds("d/file", "other");
        assert_int_equal(count_entries("d"), 1);
}

/* A name that does not fit is told by its beginning; one of the last byte fits. */
static void test_path(void **state)
{
        (void)state;
        char path[LB_PATH_SIZE], name[LB_PATH_SIZE];
        struct lb_error err;
        memset(name, 'x', sizeof(name));
        name[LB_PATH_SIZE - 3] = '\0';
        assert_int_equal(lb_path(path, &err, "d/%s", name), 0);
        assert_int_equal(strlen(path), LB_PATH_SIZE - 1);
        assert_int_equal(lb_path(path, &err, "d/%s.", name), -1);
        assert_int_equal(err.kind, LB_ERROR_INPUT);
        assert_non_null(strstr(err.text, "'d/xxx"));
        assert_non_null(strstr(err.text, "xxx' is too long for a path"));
}

/* A pipe takes a part at a time; what is full, or closed, says so. */
static void test_write_all(void **state)
{
        (void)state;
        enum { SIZE = 1 << 20 };
        int ends[2], status;
        char *bytes = calloc(1, SIZE);
        assert_non_null(bytes);
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
                static char part[5000];
                long got = 0;
                close(ends[1]);
                for (ssize_t n; (n = read(ends[0], part, sizeof(part))) > 0;)
                        got += n;
                _exit(got == SIZE ? 0 : 1);
        }
        assert_true(child > 0);
        assert_int_equal(lb_write_all(ends[1], bytes, SIZE), 0);
        close(ends[0]);
        close(ends[1]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        int full = open("/dev/full", O_WRONLY);
        assert_int_equal(lb_write_all(full, bytes, 1), -1);
        assert_int_equal(errno, ENOSPC);
        close(full);
        assert_int_equal(lb_write_all(full, bytes, 0), 0);
        assert_int_equal(lb_write_all(full, bytes, 1), -1);
        assert_int_equal(errno, EBADF);
        free(bytes);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(test_commit, set_up),
                cmocka_unit_test_setup(test_mode, set_up),
                cmocka_unit_test_setup(test_abandon, set_up),
                cmocka_unit_test_setup(test_pipe, set_up),
                cmocka_unit_test_setup(test_stream, set_up),
                cmocka_unit_test_setup(test_link, set_up),
                cmocka_unit_test_setup(test_dangling_link, set_up),
                cmocka_unit_test_setup(test_full_disk, set_up),
                cmocka_unit_test_setup(test_size_limit, set_up),
                cmocka_unit_test_setup(test_size_limit_at_once, set_up),
                cmocka_unit_test_setup(test_bad_names, set_up),
                cmocka_unit_test_setup(test_check, set_up),
                cmocka_unit_test_setup(test_same, set_up),
                cmocka_unit_test_setup(test_directories, set_up),
                cmocka_unit_test_setup(test_killed, set_up),
                cmocka_unit_test_setup(test_open_name, set_up),
                cmocka_unit_test(test_path),
                cmocka_unit_test(test_write_all),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
