import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRuntimeFault } from '../../src/worker/bring-up.ts';

/** As the runtime writes it for a GPU that is hidden: its head was seen on an H200, its end is the runtime's format. */
const HIDDEN =
  '/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc:154 std::conditional_t<THRW, void, onnxruntime::common::Status> onnxruntime::CudaCall(ERRTYPE, const char*, const char*, SUCCTYPE, const char*, const char*, int) [with ERRTYPE = cudaError; bool THRW = true; SUCCTYPE = cudaError; std::conditional_t<THRW, void, common::Status> = void] CUDA failure 100: no CUDA-capable device is detected ; GPU=-1 ; hostname=box ; file=/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_execution_provider.cc ; line=282 ; expr=cudaSetDevice(info_.device_id); ';

test('a failure of NVIDIA’s libraries is shown with its number and words', () => {
  assert.equal(
    describeRuntimeFault(new Error(HIDDEN)),
    'CUDA failure 100: no CUDA-capable device is detected',
  );
  assert.equal(
    describeRuntimeFault(
      'x.cc:1 f() CUDNN failure 5003: CUDNN_STATUS_EXECUTION_FAILED ; GPU=0 ; hostname=box',
    ),
    'CUDNN failure 5003: CUDNN_STATUS_EXECUTION_FAILED',
  );
});

test('any other failure is shown from its beginning, at most 300 characters', () => {
  assert.equal(describeRuntimeFault(new Error(' no such file\n')), 'no such file');
  assert.equal(describeRuntimeFault('x'.repeat(1000)).length, 300);
});
