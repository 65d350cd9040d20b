#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tree builds, installs and runs as packagers build it, not only as the tests do: each variant is configured
# from a source without history that nobody may write to, by an ordinary user where the tests run as root, without
# tests, installed with DESTDIR, moved, and used. "wrapper" and "again" go on from what "bare" has built.
# Usage: variants.sh SOURCE_DIR [VARIANT...]
set -eu
source=$1
shift
[ $# -gt 0 ] || set -- clang-openmpi bare wrapper again
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
. "$source/tests/clang.sh"

mkdir "$work/source" "$work/nothing" "$work/front"
if [ -e "$source/.git" ]; then
    git -C "$source" -c safe.directory='*' ls-files -z | tar -C "$source" --null -T - -c | tar -C "$work/source" -x
else
    cp -r "$source/." "$work/source"
fi
chmod -R a+rX,a-w "$work/source"
source=$work/source
# neither git nor what is optional; what is not asked for is not missed
pkg_config=$(command -v pkg-config)
printf '#!/bin/sh\nexit 127\n' >"$work/front/git"
printf '#!/bin/sh\ncase " $* " in *cmocka*|*otf2*|*libdw*|*ncurses*) exit 1 ;; esac\nexec %s "$@"\n' "$pkg_config" >"$work/front/pkg-config"
chmod -R a+rx "$work/front" "$work/nothing"
PATH=$work/front:$PATH
as_user=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    as_user="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$work CCACHE_DISABLE=1"
    chmod 755 "$work"
fi

# build BUILD_NAME [cmake options]: into $work/BUILD_NAME, which may be there already; installed and moved to $prefix
build() {
    there=$work/$1
    shift
    mkdir -p "$there"
    [ -z "$as_user" ] || chown 65534:65534 "$there"
    prefix=$there/$variant
    $as_user cmake -S "$source" -B "$there/build" -G Ninja -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_INSTALL_PREFIX=/opt/lbsim "$@" >"$work/$variant.log" 2>&1 &&
        $as_user cmake --build "$there/build" >>"$work/$variant.log" 2>&1 &&
        $as_user env DESTDIR="$there/dest" cmake --install "$there/build" >>"$work/$variant.log" 2>&1 ||
        { tail -30 "$work/$variant.log"; fail "$variant does not build"; }
    $as_user mv "$there/dest/opt/lbsim" "$prefix"
    ! grep -rlF -e "$there" -e "$source" "$prefix" || fail "$variant: these files name where they were built"
}

# The moved program finds its data, says which commit it does not know, simulates; and, as gnuplot is not in its PATH,
# leaves the figure's data, which it says once.
use_lbsim() {
    "$prefix/bin/lbsim" --version | grep -q '^commit unknown' || fail "$variant: --version"
    PATH="$work/nothing" "$prefix/bin/lbsim" "$prefix/share/lbsim/scenarios/slow_node.json" --set replicates=1 \
        --set 'sweep={"workload.imbalance":[1,2],"graph.degree":[1,2],"platform.nodes":[2],"workload.slow":["most"]}' --out "$prefix.out" >"$prefix.txt" 2>"$prefix.err" || fail "$variant: $(cat "$prefix.err")"
    grep -q time_per_iteration_s "$prefix.txt" || fail "$variant: no table"
    [ "$(grep -c gnuplot "$prefix.err")" = 1 ] && ls "$prefix.out"/*.dat >/dev/null ||
        fail "$variant: without gnuplot: $(cat "$prefix.err"; ls "$prefix.out")"
}

# port MPICC MPI: a program is built against what is installed, and runs
port() {
    PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig)
    export PKG_CONFIG_PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # shellcheck disable=SC2046 # words
    "$1" $(pkg-config --cflags "lbrun-$2") "$source/real/apps/port/after.c" -o "$prefix/port" \
        $(pkg-config --libs "lbrun-$2")
    "$prefix/bin/lbrun" --nodes 2 --cores 2 --degree 2 -- "$prefix/port" >"$prefix.port" ||
        fail "$variant: a ported program does not run"
    grep -q '^  tasks ' "$prefix.port" || fail "$variant: no report"
}

# What the Spack recipe defines without MPI, as options of CMake. (Its tool is not in the distribution, nor EasyBuild's:
# what they do is done by the shell.)
spack_arguments() {
    sed -n 's/.*self.define("\([A-Za-z_]*\)", False).*/-D\1=OFF/p' "$source/packaging/spack/package.py"
}

# What installed programs and libraries are linked with comes with the packages that the recipe's last image installs.
runs_with_packages_of() {
    named=$(sed -n '/^FROM debian:12$/,$p' "$1" | tr -d '\\\n' | sed 's/.*--no-install-recommends \([^&]*\)&&.*/\1/')
    # shellcheck disable=SC2086 # words
    come=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
        $named libc6 2>/dev/null | sed -n 's/^ *|*Depends: //p; s/^\([a-z].*\)/\1/p') || { echo "packages not looked at: no apt"; return 0; }
    find "$prefix/bin" "$prefix/lib" -type f -exec objdump -p {} + 2>/dev/null | sed -n 's/.*NEEDED  *//p' | sort -u >"$prefix.needed"
    grep -q libgsl "$prefix.needed" || fail "$variant: what is needed is not seen"
    while read -r library; do
        [ -z "$(find "$prefix/lib" -name "$library")" ] || continue
        from=$(dpkg -S "*/$library" 2>/dev/null | sed 's/[:,].*//') # some are of several, for other processors
        [ -z "$from" ] || printf '%s\n' $named $come | grep -qxF "$from" || fail "$variant: $library is of $from, which the image does not have"
    done <"$prefix.needed"
}

for variant; do
    echo "== $variant"
    case $variant in
    clang-openmpi)
        find_clang
        [ -n "$clang" ] && command -v mpicc.openmpi >/dev/null || { echo "skipped: no clang, or no Open MPI"; continue; }
        build clang -DCMAKE_C_COMPILER="$clang" -DLB_MPI_mpich=OFF
        use_lbsim
        port mpicc.openmpi openmpi
        ;;
    bare) # gcc, no MPI, nothing that may be missing; the Spack recipe's arguments without MPI
        build gcc $(spack_arguments)
        use_lbsim
        ! find "$prefix" -name 'liblbrun*' | grep -q . || fail "libraries for an MPI that is none"
        ;;
    wrapper) # the EasyBuild recipe's arguments: an MPI that only a wrapper compiler knows, under a name of the site's
        command -v mpicc.mpich >/dev/null || { echo "skipped: no MPICH"; continue; }
        EBROOTOPENMPI=$work/site
        mkdir -p "$EBROOTOPENMPI/bin"
        printf '#!/bin/sh\nexec mpicc.mpich "$@"\n' >"$EBROOTOPENMPI/bin/mpicc"
        chmod -R a+rx "$EBROOTOPENMPI"
        eval "build gcc $(sed -n "s/^configopts = '\(.*\)'/\1/p" "$source"/packaging/easybuild/*.eb)"
        use_lbsim
        port "$EBROOTOPENMPI/bin/mpicc" mpich
        ;;
    again) # from another folder, into another: the same files to the last byte
        [ -e "$work/gcc/bare" ] || { echo "skipped: nothing to compare with"; continue; }
        cp -r "$source" "$work/elsewhere"
        (source=$work/elsewhere && build twin $(spack_arguments))
        diff -r "$work/gcc/bare" "$work/twin/again" || fail "not the same files again"
        ;;
    container) # the recipe's steps behind its base images, as a shell does them, / being $work/container
        root=$work/container
        recipe=$source/packaging/container/Containerfile
        mkdir -p "$root/build" "$root/image" "$root/front"
        cp -r "$source" "$root/src"
        # what .ci/setup does not install there is not there
        printf '#!/bin/sh\ncase " $* " in *cmocka*|*otf2*|*libdw*|*mpich*) exit 1 ;; esac\nexec %s "$@"\n' "$pkg_config" >"$root/front/pkg-config"
        chmod a+rx "$root/front/pkg-config"
        [ -z "$as_user" ] || chown 65534:65534 "$root/build" "$root/image"
        steps=$(sed -n '/AS build/,/^FROM debian:12$/p' "$recipe" | sed -e :a -e '/\\$/{N;s/\\\n//;ta' -e '}' | sed -n 's/^RUN //p')
        [ -n "$steps" ] || fail "no steps in $recipe"
        steps=$(echo "$steps" | sed -E "s#([ =])/(build|image|src)\b#\1$root/\2#g")
        echo "$steps" >"$root/steps"
        (cd "$root/src" && PATH=$root/front:$PATH && $as_user sh -e "$root/steps") >"$work/container.log" 2>&1 || { tail -30 "$work/container.log"; fail "the container's steps: $steps"; }
        prefix=$root/image/usr/local
        ! grep -rlF -e "$root" "$prefix" || fail "container: these files name where they were built"
        use_lbsim
        runs_with_packages_of "$recipe"
        ;;
    debian)
        command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || { echo "skipped: no debhelper"; continue; }
        version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' "$source/packaging/debian/changelog")
        mkdir "$work/debian" && cp -r "$source" "$work/debian/lbsim-$version"
        chmod -R u+w "$work/debian"
        PATH=${PATH#*:}
        (cd "$work/debian" && tar czf "lbsim_$version.orig.tar.gz" "lbsim-$version")
        cp -r "$source/packaging/debian" "$work/debian/lbsim-$version/debian"
        (cd "$work/debian/lbsim-$version" && dpkg-buildpackage -us -uc >"$work/debian.log" 2>&1) ||
            { tail -30 "$work/debian.log"; fail "the package does not build"; }
        ! command -v lintian >/dev/null || lintian --fail-on error "$work"/debian/*.changes || fail "lintian"
        ;;
    *) fail "unknown variant '$variant'" ;;
    esac
done
echo "all variants build, install and run"
