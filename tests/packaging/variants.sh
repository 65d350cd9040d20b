#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tree builds, installs and runs as packagers build it, not only as the tests do: each variant is configured
# from a source without history that nobody may write to, by an ordinary user where the tests run as root, without
# tests, installed with DESTDIR, moved, and used. Usage: variants.sh SOURCE_DIR [VARIANT...]
set -eu
source=$1
shift
[ $# -gt 0 ] || set -- clang-openmpi gcc-alone wrapper spack
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

mkdir "$work/source"
if [ -e "$source/.git" ]; then
    git -C "$source" -c safe.directory='*' ls-files -z | tar -C "$source" --null -T - -c | tar -C "$work/source" -x
else
    cp -r "$source/." "$work/source"
fi
chmod -R a+rX,a-w "$work/source"
as_user=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    as_user="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$work CCACHE_DISABLE=1"
    chmod 755 "$work"
fi

# build NAME [cmake options]: into $work/NAME, installed and moved to $work/NAME/moved
build() {
    name=$1
    shift
    mkdir "$work/$name"
    [ -z "$as_user" ] || chown 65534:65534 "$work/$name"
    $as_user cmake -S "$work/source" -B "$work/$name/build" -G Ninja -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_INSTALL_PREFIX=/opt/lbsim "$@" >"$work/$name.log" 2>&1 &&
        $as_user cmake --build "$work/$name/build" >>"$work/$name.log" 2>&1 &&
        $as_user env DESTDIR="$work/$name/dest" cmake --install "$work/$name/build" >>"$work/$name.log" 2>&1 ||
        { tail -30 "$work/$name.log"; fail "$name does not build"; }
    $as_user mv "$work/$name/dest/opt/lbsim" "$work/$name/moved"
    rm -rf "$work/$name/build" # what is installed needs nothing of it
    prefix=$work/$name/moved
}

# The moved program finds its data, says which commit it does not know, and simulates.
use_lbsim() {
    "$prefix/bin/lbsim" --version | grep -q '^commit unknown' || fail "$name: --version"
    (cd "$work/$name" && "$prefix/bin/lbsim" "$prefix/share/lbsim/scenarios/slow_node.json" --set replicates=1 --set 'sweep={}' --no-figure --quiet \
        --out "$work/$name/out" >"$work/$name/table.txt") 2>"$work/$name/err.txt" || fail "$name: $(cat "$work/$name/err.txt")"
    grep -q time_per_iteration_s "$work/$name/table.txt" || fail "$name: no table"
}

# port MPICC MPI: a program is built against what is installed, and runs
port() {
    PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig)
    export PKG_CONFIG_PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # shellcheck disable=SC2046 # words
    "$1" $(pkg-config --cflags "lbrun-$2") "$work/source/real/apps/port/after.c" -o "$work/$name/port" \
        $(pkg-config --libs "lbrun-$2")
    "$prefix/bin/lbrun" --nodes 2 --cores 2 --degree 2 -- "$work/$name/port" >"$work/$name/port.txt" ||
        fail "$name: a ported program does not run"
    grep -q '^  tasks ' "$work/$name/port.txt" || fail "$name: no report"
}

for variant; do
    echo "== $variant"
    case $variant in
    clang-openmpi)
        clang=$(command -v clang || command -v clang-14 || true)
        [ -n "$clang" ] && command -v mpicc.openmpi >/dev/null || { echo "skipped: no clang, or no Open MPI"; continue; }
        build "$variant" -DCMAKE_C_COMPILER="$clang" -DLB_MPI_mpich=OFF
        use_lbsim
        port mpicc.openmpi openmpi
        ;;
    gcc-alone)
        build "$variant" -DLB_MPI_openmpi=OFF -DLB_MPI_mpich=OFF
        use_lbsim
        ! find "$prefix" -name 'liblbrun*' | grep -q . || fail "libraries for an MPI that is none"
        ;;
    wrapper)
        command -v mpicc.mpich >/dev/null || { echo "skipped: no MPICH"; continue; }
        # as a site's own: a wrapper compiler under a name that pkg-config does not know
        printf '#!/bin/sh\nexec mpicc.mpich "$@"\n' >"$work/sitecc"
        chmod 755 "$work/sitecc"
        build "$variant" -DLB_MPI_openmpi=OFF -DLB_MPI_mpich=OFF -DLB_MPICC="$work/sitecc"
        use_lbsim
        port "$work/sitecc" mpich
        ;;
    spack)
        # The recipes' steps, executed as shell steps: none of their tools is in the distribution.
        python3 - "$source/packaging/spack/package.py" "$source"/packaging/easybuild/*.eb <<'END' || fail "recipes"
import ast, sys
for path in sys.argv[1:]:
    ast.parse(open(path).read(), path)
END
        options=$(sed -n "s/^configopts = '\(.*\)'/\1/p" "$source"/packaging/easybuild/*.eb | sed 's/ -DLB_MPICC=[^ ]*//')
        # shellcheck disable=SC2086 # words
        build "$variant" $options
        use_lbsim
        ;;
    debian)
        command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || { echo "skipped: no debhelper"; continue; }
        mkdir "$work/debian" && cp -r "$work/source" "$work/debian/lbsim-0.1.0"
        chmod -R u+w "$work/debian"
        (cd "$work/debian" && tar czf lbsim_0.1.0.orig.tar.gz lbsim-0.1.0)
        cp -r "$source/packaging/debian" "$work/debian/lbsim-0.1.0/debian"
        (cd "$work/debian/lbsim-0.1.0" && dpkg-buildpackage -us -uc >"$work/debian.log" 2>&1) ||
            { tail -30 "$work/debian.log"; fail "the package does not build"; }
        ! command -v lintian >/dev/null || lintian --fail-on error "$work"/debian/*.changes || fail "lintian"
        ;;
    *) fail "unknown variant '$variant'" ;;
    esac
done
echo "all variants build, install and run"
