# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE= -DOUT= -DCOMPILER= -DLIBRARIES= -P built.cmake: what "--version" adds to the version.
# A source without its history, or without git, is of no known commit.
find_program(GIT git)
set(commit "")
if(GIT AND EXISTS "${SOURCE}/.git")
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
    set(commit "unknown (no git, or no history)")
endif()
list(JOIN LIBRARIES ", " libraries)
file(WRITE ${OUT}.new "commit ${commit}\ncompiler ${COMPILER}\nlibraries ${libraries}\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUT}.new ${OUT})
file(REMOVE ${OUT}.new)
