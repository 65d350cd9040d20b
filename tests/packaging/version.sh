#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CMakeLists.txt has the version; the changes, the packages' recipes and the programs have the same one.
# Usage: version.sh SOURCE_DIR [PROGRAM...]
set -u
cd "$1" || exit 1
shift
failures=0
version=$(sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)

# same PLACE FOUND
same() {
    [ "$2" = "$version" ] && return
    echo "FAILED: $1 has version '$2', CMakeLists.txt '$version'"
    failures=1
}

same CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)"
same packaging/debian/changelog "$(sed -n '1s/^lbsim (\([0-9.]*\)-.*/\1/p' packaging/debian/changelog)"
# The date of the manual pages is that of the package's version.
date=$(sed -n 's/^ -- .*  [A-Z][a-z]*, \(.*\)/\1/p' packaging/debian/changelog | head -1)
there=$(sed -n 's/^set(LB_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)
[ -n "$there" ] && [ "$(date -u -d "$date" +%Y-%m-%d)" = "$there" ] || { echo "FAILED: CMakeLists.txt has date '$there', packaging/debian/changelog '$date'"; failures=1; }
for recipe in packaging/easybuild/*.eb; do
    same "$recipe" "$(sed -n "s/^version = '\(.*\)'/\1/p" "$recipe")"
    same "the name of $recipe" "$(echo "$recipe" | sed 's/.*lbsim-\([0-9.]*\)-.*/\1/')"
done
for program; do
    same "$program" "$("$program" --version | sed -n '1s/^[a-z]* \([0-9.]*\).*/\1/p')"
done
exit $failures
