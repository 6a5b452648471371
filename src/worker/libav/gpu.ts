/** The GPU that decodes video (NVDEC), one for the process' life; the library decodes on the CPU what it cannot. */
import { AV_HWDEVICE_TYPE_CUDA } from 'node-av/constants';
import { FFmpegError, HardwareDeviceContext } from 'node-av/lib';
import './av-fault.ts';

export type Gpu = { device: HardwareDeviceContext; fault: null } | { device: null; fault: string };

let opened: Gpu | null = null;

export function openGpu(): Gpu {
  opened ??= open();
  return opened;
}

function open(): Gpu {
  const device = new HardwareDeviceContext();
  const code = device.create(AV_HWDEVICE_TYPE_CUDA);
  if (code >= 0) return { device, fault: null };
  device.free();
  const fault = `no GPU can be opened for decoding video (${FFmpegError.strerror(code)})`;
  return { device: null, fault };
}
