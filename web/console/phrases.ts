// The texts of the editor itself, which are English without this.

import { lang } from "./text";

/** phrases are the editor's texts in the language of the page. */
export const phrases: Record<string, string> = lang === "en" ? {} : {
  "Find": "查找",
  "Replace": "替换为",
  "next": "下一个",
  "previous": "上一个",
  "all": "全部",
  "match case": "区分大小写",
  "regexp": "正则表达式",
  "by word": "全词匹配",
  "replace": "替换",
  "replace all": "全部替换",
  "close": "关闭",
  "current match": "当前匹配",
  "on line": "位于行",
  "replaced match on line $": "已替换第 $ 行的匹配",
  "replaced $ matches": "已替换 $ 处匹配",
  "Go to line": "转到行",
  "go": "转到",
  "Folded lines": "已折叠的行",
  "Unfolded lines": "已展开的行",
  "folded code": "已折叠的内容",
  "unfold": "展开",
  "Fold line": "折叠此行",
  "Unfold line": "展开此行",
  "to": "到",
  "Completions": "补全",
  "Diagnostics": "错误",
  "No diagnostics": "没有错误",
  "Control character": "控制字符",
  "Selection deleted": "已删除所选内容",
};
