import type { Detector } from '../finding.ts';

/**
 * One tool fails as missing again and again, whatever its arguments: the tool is blocked. Strictly
 * contiguous (as in OpenClaw 2026.7); belongs to no switch but `enabled`.
 */
export const unknownTool: Detector = {
  name: 'unknown_tool_repeat',
  find({ miss }, { unknownToolThreshold }) {
    if (miss === null || miss.streak < unknownToolThreshold) return [];
    return [
      {
        action: 'block',
        match: { scope: 'tool', tool: miss.tool, args: null },
        key: `tool:${miss.tool}`,
        detector: unknownTool.name,
        count: miss.streak,
        threshold: unknownToolThreshold,
        warningKey: `unknown-tool:${miss.tool}:${miss.missingTool}`,
        keySignatures: [],
        pairedTool: null,
        missingTool: miss.missingTool,
        oldest: miss.oldest,
      },
    ];
  },
};
