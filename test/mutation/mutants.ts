import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { API, type Project } from 'typescript/unstable/sync';

/** One small change of a source file. */
export interface Mutant {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  /** The text from `start` up to `end` is replaced by `replacement`. Offsets in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The offset that a test must reach to notice the change. */
  readonly reached_at: number;
  /** From 1. */
  readonly line: number;
  /** The line without the blanks around it. */
  readonly line_text: string;
  /** What is replaced, on one line. */
  readonly original: string;
}

export interface Sources {
  /** Returns all mutants of a file, in the order of their offsets. */
  mutantsOf(path: string): readonly Mutant[];
  close(): void;
}

/** Parses the files of a project (the path of its tsconfig.json, relative to the root). */
export function openSources(root: string, project_path: string): Sources {
  const api = new API({ cwd: root });
  const snapshot = api.updateSnapshot({ openProjects: [join(root, project_path)] });
  const [project] = snapshot.getProjects();
  if (project === undefined) throw new Error(`${project_path} is not a project of TypeScript`);
  return {
    mutantsOf(path) {
      const file = project.program.getSourceFile(join(root, path));
      if (file === undefined) throw new Error(`${path} is not in ${project_path}`);
      if (file.text !== readFileSync(join(root, path), 'utf8'))
        throw new Error(`${path} has changed while it was read`);
      const mutants: Mutant[] = [];
      for (const change of changesIn(file, project)) mutants.push(toMutant(path, file.text, change));
      return mutants.toSorted((a, b) => a.start - b.start || a.end - b.end);
    },
    close: () => api.close(),
  };
}

/** `from` up to `to` becomes `text`; `node` is what a test must reach. */
interface Change {
  readonly node: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function toMutant(path: string, text: string, { node, from, to, text: replacement }: Change): Mutant {
  const line_start = text.lastIndexOf('\n', from - 1) + 1;
  const line_end = text.indexOf('\n', from);
  return {
    path,
    start: from,
    end: to,
    replacement,
    reached_at: node,
    line: text.slice(0, from).split('\n').length,
    line_text: text.slice(line_start, line_end < 0 ? text.length : line_end).trim(),
    original: text.slice(from, to).replace(/\s+/g, ' '),
  };
}

function* changesIn(file: SourceFile, project: Project): Generator<Change> {
  const start = (node: Node) => node.getStart(file);
  const replace = (node: Node, text: string, reached: Node = node): Change => ({
    node: start(reached),
    from: start(node),
    to: node.end,
    text,
  });

  function* visit(node: Node): Generator<Change> {
    if (isLeftOut(node, file)) return;
    yield* changesOf(node);
    const children: Node[] = [];
    node.forEachChild((child) => {
      children.push(child);
    });
    for (const child of children) yield* visit(child);
  }

  function* changesOf(node: Node): Generator<Change> {
    if (is.isBinaryExpression(node)) {
      const operator = node.operatorToken;
      for (const text of otherOperators(operator.getText(file))) {
        const is_sum = /^\+=?$/.test(operator.getText(file));
        if (!is_sum || isNumeric(node.left, project)) yield replace(operator, text, node);
      }
    } else if (is.isPrefixUnaryExpression(node) || is.isPostfixUnaryExpression(node)) {
      const operator = is.isPrefixUnaryExpression(node) ? start(node) : node.end - 2;
      const text = file.text.slice(operator, operator + 2);
      if (text === '++' || text === '--') {
        yield { node: start(node), from: operator, to: operator + 2, text: text === '++' ? '--' : '++' };
      } else if (text.startsWith('!')) {
        yield { node: start(node), from: operator, to: operator + 1, text: '' };
      }
    } else if (is.isIfStatement(node) || is.isWhileStatement(node)) {
      if (isPlainCondition(node.expression)) yield negate(node.expression);
    } else if (is.isConditionalExpression(node)) {
      if (isPlainCondition(node.condition)) yield negate(node.condition);
    } else if (node.kind === SyntaxKind.TrueKeyword) yield replace(node, 'false');
    else if (node.kind === SyntaxKind.FalseKeyword) yield replace(node, 'true');
    else if (is.isNumericLiteral(node)) yield* changesOfNumber(node);
    else if (is.isStringLiteral(node)) {
      if (isCode(node)) yield replace(node, "''");
    } else if (is.isCallExpression(node)) yield* changesOfCall(node);
    else if (is.isExpressionStatement(node)) yield replace(node, ';');
    else if (is.isThrowStatement(node) || is.isReturnStatement(node) || is.isContinueStatement(node)) {
      if (isEarly(node)) yield replace(node, ';');
    } else if (is.isBlock(node) && isEmptied(node)) yield replace(node, '{}');
  }

  function negate(condition: Node): Change {
    return replace(condition, `!(${condition.getText(file)})`);
  }

  function* changesOfNumber(node: Node): Generator<Change> {
    const value = Number(node.getText(file).replaceAll('_', ''));
    if (!Number.isSafeInteger(value)) return;
    yield replace(node, String(value + 1));
    if (value > 0) yield replace(node, String(value - 1));
  }

  function* changesOfCall(node: Node): Generator<Change> {
    if (!is.isCallExpression(node) || !is.isPropertyAccessExpression(node.expression)) return;
    const { expression: of, name } = node.expression;
    const other = other_methods.get(`${of.getText(file)}.${name.text}`) ?? other_methods.get(name.text);
    if (other !== undefined) yield replace(name, other, node);
    if (removed_methods.has(name.text)) yield { node: start(node), from: of.end, to: node.end, text: '' };
  }

  yield* visit(file);
}

function otherOperators(operator: string): readonly string[] {
  return other_operators[operator] ?? [];
}

const other_operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
};

const other_methods: ReadonlyMap<string, string> = new Map([
  ['Math.min', 'max'],
  ['Math.max', 'min'],
  ['Math.floor', 'ceil'],
  ['Math.ceil', 'floor'],
  ['some', 'every'],
  ['every', 'some'],
]);

/** Methods that return the value on which they are called, or a part of it in some order. */
const removed_methods: ReadonlySet<string> = new Set(['filter', 'toSorted', 'sort', 'toReversed', 'reverse', 'trim']);

/** Whether the operators have no change of their own for the condition. */
function isPlainCondition(node: Node): boolean {
  const inner = is.isParenthesizedExpression(node) ? node.expression : node;
  if (is.isPrefixUnaryExpression(inner)) return false;
  return !is.isBinaryExpression(inner) || otherOperators(inner.operatorToken.getText()).length === 0;
}

function isNumeric(node: Node, project: Project): boolean {
  const type = project.checker.getTypeAtLocation(node);
  return type !== undefined && project.checker.isTypeAssignableTo(type, project.checker.getNumberType());
}

/** Whether the literal is compared, returned or passed on as one of a set of words. */
function isCode(node: Node): boolean {
  if (!is.isStringLiteral(node) || !/^[A-Za-z][\w.-]*$/.test(node.text)) return false;
  const { parent } = node;
  if (is.isPropertyAssignment(parent)) return parent.initializer === node;
  return !is.isPropertySignatureDeclaration(parent) && !is.isImportExpression(parent) && !is.isBindingElement(parent);
}

/** Whether statements follow that are otherwise left out. Clauses of `switch` are complete by their types. */
function isEarly(node: Node): boolean {
  const { parent } = node;
  if (is.isCaseClause(parent) || is.isDefaultClause(parent)) return false;
  if (!is.isBlock(parent)) return true;
  const is_last = parent.statements.at(-1) === node;
  if (!is_last || is.isThrowStatement(node)) return true;
  const owner = parent.parent;
  return is.isIfStatement(owner) || isLoop(owner) || is.isTryStatement(owner) || is.isCatchClause(owner);
}

function isLoop(node: Node): boolean {
  return is.isForStatement(node) || is.isForOfStatement(node) || is.isForInStatement(node) || is.isWhileStatement(node);
}

/** Whether the block is more than one statement, which would have a change of its own, and has no result. */
function isEmptied(node: Node): boolean {
  if (!is.isBlock(node) || node.statements.length < 2) return false;
  if (is.isIfStatement(node.parent) || isLoop(node.parent)) return true;
  return !node.statements.some((statement) => is.isReturnStatement(statement) || is.isSwitchStatement(statement));
}

/**
 * Whether nothing in the node is changed: types, imports, assertions of what always holds, and texts
 * that people read.
 */
function isLeftOut(node: Node, file: SourceFile): boolean {
  if (is.isTypeNode(node) || is.isTypeAliasDeclaration(node) || is.isInterfaceDeclaration(node)) return true;
  if (is.isImportDeclaration(node) || is.isExportDeclaration(node)) return true;
  if (is.isExpressionStatement(node)) return /^assert\w*\(/.test(node.getText(file));
  if (is.isThrowStatement(node)) return /^throw new Violation\(/.test(node.getText(file));
  if (is.isPropertyAssignment(node)) return node.name.getText(file) === 'message';
  return is.isTemplateExpression(node) && / /.test(textOf(node, file));
}

/** The text of a template without its expressions. */
function textOf(node: Node, file: SourceFile): string {
  if (!is.isTemplateExpression(node)) return '';
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.getText(file)).join('');
}
