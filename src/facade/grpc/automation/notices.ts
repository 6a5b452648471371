/** Rules of notices. */
import {
  createNoticeRule,
  listNoticeRules,
  removeNoticeRule,
  setNoticeRulePaused,
  testNoticeRule,
} from '../../../app/notices/notice-rules.ts';
import type { Handlers } from '../../../grpc/definition.ts';
import { NotifyService } from '../../../grpc/gen/assay/v1/notify_service_pb.ts';
import { fromMessage, toMessage } from '../../../grpc/messages.ts';
import { type GrpcContext, unary } from '../calls.ts';
import { refuseUnlisted } from '../enums.ts';

const { method } = NotifyService;

export function noticeHandlers(context: GrpcContext): Handlers<typeof NotifyService> {
  const { app } = context;
  return {
    createNoticeRule: unary(context, method.createNoticeRule, async ({ principal, request, signal }) => {
      const { name, ...rest } = fromMessage(method.createNoticeRule.input, request, refuseUnlisted);
      const fields = { ...rest, ...(name === '' ? {} : { name }) };
      const rule = await createNoticeRule(app, { principal, fields }, signal);
      return toMessage(method.createNoticeRule.output, { rule });
    }),
    listNoticeRules: unary(context, method.listNoticeRules, ({ principal }) =>
      toMessage(method.listNoticeRules.output, { rules: listNoticeRules(app, { principal }) }),
    ),
    setNoticeRulePaused: unary(context, method.setNoticeRulePaused, async ({ principal, request }) => {
      const input = { principal, id: Number(request.id), isPaused: request.paused };
      return toMessage(method.setNoticeRulePaused.output, { rule: await setNoticeRulePaused(app, input) });
    }),
    removeNoticeRule: unary(context, method.removeNoticeRule, async ({ principal, request }) => {
      await removeNoticeRule(app, { principal, id: Number(request.id) });
      return {};
    }),
    testNoticeRule: unary(context, method.testNoticeRule, async ({ principal, request, signal }) =>
      toMessage(
        method.testNoticeRule.output,
        await testNoticeRule(app, { principal, id: Number(request.id) }, signal),
      ),
    ),
  };
}
