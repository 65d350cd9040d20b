#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A policy that does not return is named after 10 s. Usage: cli_policy_hung.sh LBSIM WRONG.so
. "$(dirname "$0")/cli.sh"
wrong=$2
scenario >tiny.json

# Without a limit it is named, and waited for.
"$lbsim" --policy "$wrong" tiny.json --set 'sweep={"system.name":["wrong"]}' --set 'system.wrong="hang"' --quiet \
    --set runtime.poll_s=0.1 >out.txt 2>err.txt &
waiting=$!
for _ in $(seq 60); do
    grep -q "policy 'wrong' has not returned from decide() for 10 s (point 0: system.name wrong; replicate 0)" err.txt && break
    sleep 0.5
done
[ -s err.txt ] || fail "a call that lasts is not named"
kill -0 "$waiting" || fail "a call that lasts is not waited for"
kill -KILL "$waiting"
wait "$waiting" 2>>/dev/null
finish
