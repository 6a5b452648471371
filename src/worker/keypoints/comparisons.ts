/**
 * The points of brightness that a keypoint's bits compare: x and y of both, in pixels around it. Chosen once, among 2,500 random
 * pairs on 12,000 corners of 393 pictures, so that each bit is set about as often as not and says little of another; the first
 * ones say the least of each other. Stored bits are compared with later ones: another choice would make them worthless.
 */
const CHOSEN = [
  'AwoD+AAFAPf8/vwFCAUJ/Qf8DPz0//kC9QT2/wD+AwIA+AH0+/v8/wT+BfoFBQoD+/f6+/sA/wD8BPgGBQcEC/oE/gkAAgP+9vr++/kK',
  '+/gEBAUI9wD5/AIGAwIE/AYACPYE+QH1BvkDCP4L/fwB/AX0AwUJAQr5APz+9wkABQAB+v4I/QEABPz5AAj0Bf329v/9BwEL/QcHBAIC',
  'APf79gb+AfkICQEL/AH6CwD6Af4D/AP3A/0EBfYC+gAGCQoI//z+A/kF9Qb59vgCBPgKBf8D/Af6/v0CAgr+/gL8Bvv5///2BwECBfv1',
  'AgX9AwIA/gMDBgsFCwH++f0L+QH6BQYGBQH5A/n+9v34+QIBAfz4+fsGBAMH+wj6CAoJ+gb9//QCCPkD/QAACQMFBAoJ/gT5AQb8/vf+',
  'AAsE/AP5APwD9P4E/gb6Bvr7//3/+fgIBQcABf4D/fQI/QwFBQsF9QECAAv5APf6AQQC/////gb+/f8B9gb8/foH+gMA+wIIBP4KB//7',
  '/f/3/foK+gP9+QMIB/kHCQMGAwwA9wP1BgECAAX8APX9+v8L+vUB+AYF/gACAfsKAv0C+f0CAwD9+PUD/wP9CQULAfcBCQP8Bgv5+fcG',
  'BQIJBP4F/An69v7+AgcBDPgG9gH//AEEAfoG9QEABAX6+f32+gH9BAgEBvX5//37CQMGCQwCBPwK/gX5AwIIAAP9Cf78+PX/9P/9DPX8',
  '/vQAA/z+BP8A//0GAgX+BQP8AgQC+Qj7CQMDAQP3/vz+Cf/+/wMG9QX+/Ab89/r9+gcE9wUHAf0ACf/9APMI9wUC+vz6AP79//gF/QgC',
  '/Qb8AfsG9wkK+gYF/QL/CvUB+wQABAMKCf0GAP0K/AYGAwT/Bf4DCfj++/T9Cvv6/wAC/P8E/Pr8A/f9/vz6Bgb5BAwICgP2AvkG+QX9',
  'AvT8Av/+AfsGCAD/BvcCBgYFAwQL/vcJAAAK+AL+9vv+//0G+AQE9gAIAv4GAfsFAPkB//3///sD/vkE//T+/fQBAQcH/QEC+vj6BAAD',
  '+v8ACvwE/PsC9AID/P37CggHB//+Bv/6/gH9+fkA9gUB/AMMAfkAAvv3+wEDAwIJAQj/Av0C+vkE/QP5AwcC9AoACQQD+wf4AAb+/Qb8',
  'BAYDAADzBAQHAPf6/PgE/QIE/wYCAgMFCgb9+wD++/b/9AID//kICQL/Avf+APcJ/wYCBAj4AwAI/fwMAgULAAUI+wgABQQBAQT5Af79',
  'AvsJBQH6/Pb7/P/7/gUFDPsGAf7+AgL+AAb8AwME/gAE/AD9BQIAAfwBAQIFCQX6/vX+/wALAPv/9AD59gj7A/8K//j/DP8EAvcDCAQA',
  'BfwA/wEDBAID/A==',
].join('');

/** Four for each bit. */
export const COMPARISONS = new Int8Array(Buffer.from(CHOSEN, 'base64'));
