# SPDX-License-Identifier: BSD-3-Clause
# A hash of the sources that decide which graph is found, as a header: cmake -DFILES=... -DHEADER=... -P code.cmake
set(all "")
foreach(file ${FILES})
    file(SHA256 ${file} hash)
    get_filename_component(name ${file} NAME)
    string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 8 hash)
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define LB_GRAPHS_CODE \"${hash}\"\n" @ONLY)
