# SPDX-License-Identifier: BSD-3-Clause
# find_clang [FLAG]...: $clang is the name of one that links a program with these flags, or empty.
find_clang() {
    for clang in clang clang-14 ''; do
        [ -n "$clang" ] && command -v "$clang" >/dev/null || continue
        echo 'int main(void) { return 0; }' | "$clang" "$@" -x c - -o /dev/null 2>/dev/null && return
    done
}
