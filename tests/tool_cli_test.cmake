# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the tailrace authors

# Runs the tool as its users do and checks exit statuses and messages.
# cmake -DTOOL=<program> -DINPUT=<directory of the shipped input> -DWORK=<directory to work in> -P tool_cli_test.cmake
cmake_minimum_required(VERSION 3.24)

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# expect(<exit status> <regular expression that the output must match> <argument>...)
function(expect status pattern)
  execute_process(COMMAND "${TOOL}" ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result STREQUAL status OR NOT output MATCHES "${pattern}")
    list(JOIN ARGN " " arguments)
    message(SEND_ERROR "tailrace ${arguments}\nended with ${result}, expected ${status}, and output matching "
      "'${pattern}'. The output:\n${output}")
  endif()
  if(output MATCHES "\r")
    message(SEND_ERROR "a progress bar was drawn although there is no terminal")
  endif()
endfunction()

# Usage.
expect(0 "demo.*Exit status" --help)
expect(0 "--input" demo --help)
expect(0 "^[0-9]+\\.[0-9]+\\.[0-9]+" --version)
expect(2 "")
expect(2 "" unknown)
expect(2 "--input" demo)
expect(2 "--size" demo --input "${INPUT}/terrain.png" --size 12)
expect(2 "--steps" demo --input "${INPUT}/terrain.png" --steps 0)
expect(2 "--every" demo --input "${INPUT}/terrain.png" --every -1)
foreach(seconds IN ITEMS 0 -1 1.5 3601 soon)
  expect(2 "--seconds.*Fix: " bench --seconds ${seconds})
endforeach()
foreach(device IN ITEMS -1 x 1x)
  expect(2 "--device.*Fix: " bench --device ${device})
endforeach()

# Input files. They are looked at first, so that this needs no device.
file(WRITE "${WORK}/text.png" "not a picture")
expect(2 "missing.png.*no such file.*Fix: " demo --input "${WORK}/missing.png")
expect(2 "text.png.*neither a PNG nor.*Fix: " demo --input "${WORK}/text.png")
foreach(name IN ITEMS terrain.png terrain.npy)
  execute_process(COMMAND head -c 5000 "${INPUT}/${name}" OUTPUT_FILE "${WORK}/${name}")
  expect(2 "${name}.*truncated.*Fix: " demo --input "${WORK}/${name}")
endforeach()

# Devices.
expect(3 "Fix: " demo --input "${INPUT}/terrain.npy" --device 99)
execute_process(COMMAND "${TOOL}" info RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT output MATCHES "backend.*pinned budget")
  message(SEND_ERROR "tailrace info says too little: ${output}")
endif()
if(result EQUAL 3)
  message("There is no device. What needs one was not checked.")
  return()
endif()
expect(0 "device 0.*memory.*link.*NUMA node" info)
expect(0 "self-test of device 0.*slots used again +[0-9]+ bytes right.*per-thread stream +[0-9]+ bytes right"
  info --self-test)

# The benchmark.
expect(3 "Fix: " bench --device 99)
expect(2 "nowhere.*Fix: " bench --json "${WORK}/nowhere/report.json")
expect(0 "median.*of pinned.*pinned, raw.*GB/s.*pageable, tailrace.*GB/s.* x.*4 KiB.*/s.*4 KiB.*us"
  bench --seconds 1 --json "${WORK}/report.json")
execute_process(COMMAND "${TOOL}" bench --seconds 1 --json - RESULT_VARIABLE result OUTPUT_FILE "${WORK}/output.json"
  ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message(SEND_ERROR "tailrace bench --json - ended with ${result}: ${errors}")
endif()
foreach(name IN ITEMS report output)
  file(READ "${WORK}/${name}.json" json)
  string(JSON figures ERROR_VARIABLE error LENGTH "${json}" figures)
  if(error OR NOT figures EQUAL 8)
    message(SEND_ERROR "${name}.json is no report of 8 figures: ${error}\n${json}")
  endif()
endforeach()

# The demo itself.
expect(2 "Fix: " demo --input "${INPUT}/terrain.npy" --frames /dev/null/frames)
expect(0 "overlapped.*steps/s.*bytes read.*stalls.*peak in flight.*equal byte for byte"
  demo --input "${INPUT}/terrain.npy" --steps 40 --every 8 --frames "${WORK}/frames")
foreach(run IN ITEMS blocking overlapped)
  file(GLOB frames RELATIVE "${WORK}/frames/${run}" "${WORK}/frames/${run}/*")
  set(expected frame-00000008.png frame-00000016.png frame-00000024.png frame-00000032.png frame-00000040.png)
  if(NOT frames STREQUAL expected)
    message(SEND_ERROR "the frames of the ${run} run are ${frames}")
  endif()
endforeach()
# A frame is itself an input.
expect(0 "equal byte for byte" demo --input "${WORK}/frames/overlapped/frame-00000040.png" --size 300x200 --steps 20
  --every 100 --verbose)
# The picture becomes even, its residual 0, and two equal residuals are a failure.
expect(1 "mismatch: the residual of step .*no longer change.*Fix: "
  demo --input "${INPUT}/terrain.png" --size 3x3 --steps 500 --every 1000)
