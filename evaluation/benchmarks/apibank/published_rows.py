"""Figures of API-Bank as papers print them: percent, and ROUGE-L as printed."""

from __future__ import annotations

from evaluation.benchmarks.suite import PublishedRow as Row

EMNLP_TABLE_3: tuple[Row, ...] = (
    Row("Alpaca-7B", "zero-shot", (24.06, 5.19, 0.0, 15.19), (0.0204, 0.0019, 0.086, 0.0318)),
    Row("ChatGLM-6B", "zero-shot", (23.62, 13.33, 0.0, 16.42), (0.2451, 0.2173, 0.1522, 0.2191)),
    Row("GPT-3 Davinci", "zero-shot", (0.5, 1.48, 0.0, 0.57), (0.1035, 0.091, 0.0156, 0.0814)),
    Row(
        "GPT-3.5-turbo", "zero-shot", (59.4, 38.52, 22.0, 47.16), (0.4598, 0.3758, 0.3809, 0.4267)
    ),
    Row("GPT-4", "zero-shot", (63.66, 37.04, 70.0, 60.24), (0.3691, 0.351, 0.4808, 0.391)),
    Row("Lynx-7B", "fine-tuned", (49.87, 30.37, 20.0, 39.58), (0.4332, 0.2503, 0.3425, 0.3794)),
)
EMNLP_TABLE_7: tuple[Row, ...] = (
    Row("ToolAlpaca", "10366 training samples", (53.88,), (39.75,)),
    Row("Lynx", "6184 training samples", (54.64,), (39.8,)),
)
FIRST_VERSION_TABLE_3: tuple[Row, ...] = (
    Row("GPT-3.5", "", (54.64, 40.74), (0.4622, 0.3445)),
    Row("Davinci", "", (0.5, 1.48), (0.1035, 0.091)),
)
TOOLACE_TABLE_3: tuple[Row, ...] = (
    Row("gpt-3.5-turbo-0125", "API", (70.43, 52.59)),
    Row("gpt-4-0613", "API", (75.94, 48.89)),
    Row("gpt-4-turbo-2024-04-09", "API", (72.43, 39.26)),
    Row("gpt-4o-mini-2024-07-18", "API", (74.69, 45.93)),
    Row("gpt-4o-2024-05-13", "API", (76.19, 42.96)),
    Row("Alpaca-7B", "open", (24.06, 5.19)),
    Row("ChatGLM-6B", "open", (23.62, 13.33)),
    Row("Lynx-7B", "open", (49.87, 30.37)),
    Row("xLAM-7b-fc-r", "open", (32.83, 21.48)),
    Row("LLaMA-3.1-8B-Instruct", "open", (71.18, 37.04)),
    Row("ToolACE-8B", "open", (75.94, 47.41)),
)
TOOLRL_TABLE_2: tuple[Row, ...] = (
    Row("Qwen2.5-1.5B-Instruct", "Raw", (28.32, 35.82, 35.11, 30.65)),
    Row("Qwen2.5-1.5B-Instruct", "SFT400", (57.14, 50.75, 44.27, 53.6)),
    Row("Qwen2.5-1.5B-Instruct", "SFT4k", (52.88, 52.24, 26.72, 47.07)),
    Row("Qwen2.5-1.5B-Instruct", "SFT400+PPO", (60.9, 50.75, 48.85, 57.12)),
    Row("Qwen2.5-1.5B-Instruct", "SFT400+GRPO", (64.16, 58.21, 54.2, 61.31)),
    Row("Qwen2.5-1.5B-Instruct", "PPO Cold Start", (44.61, 31.34, 32.82, 40.54)),
    Row("Qwen2.5-1.5B-Instruct", "GRPO Cold Start", (70.68, 61.19, 41.22, 63.15)),
    Row("Qwen2.5-3B-Instruct", "Raw", (59.65, 32.84, 36.64, 51.59)),
    Row("Qwen2.5-3B-Instruct", "SFT400", (59.65, 50.75, 32.82, 52.76)),
    Row("Qwen2.5-3B-Instruct", "SFT4k", (55.64, 43.28, 40.46, 50.92)),
    Row("Qwen2.5-3B-Instruct", "SFT400+PPO", (67.92, 55.22, 61.83, 65.16)),
    Row("Qwen2.5-3B-Instruct", "SFT400+GRPO", (68.67, 58.21, 45.8, 62.48)),
    Row("Qwen2.5-3B-Instruct", "PPO Cold Start", (64.66, 59.7, 35.11, 57.62)),
    Row("Qwen2.5-3B-Instruct", "GRPO Cold Start", (73.43, 67.16, 47.33, 67.0)),
    Row("Qwen2.5-7B-Instruct", "Raw", (70.68, 49.25, 44.27, 62.48)),
    Row("Qwen2.5-7B-Instruct", "SFT400", (55.89, 50.75, 34.35, 50.59)),
    Row("Qwen2.5-7B-Instruct", "SFT4k", (51.13, 34.33, 41.22, 47.07)),
    Row("Qwen2.5-7B-Instruct", "SFT400+PPO", (72.43, 58.21, 37.4, 63.15)),
    Row("Qwen2.5-7B-Instruct", "SFT400+GRPO", (61.4, 52.24, 32.82, 54.1)),
    Row("Qwen2.5-7B-Instruct", "PPO Cold Start", (68.67, 44.78, 48.85, 61.64)),
    Row("Qwen2.5-7B-Instruct", "GRPO Cold Start", (73.93, 61.19, 38.17, 64.66)),
    Row("Llama-3.2-3B-Instruct", "Raw", (44.86, 29.85, 32.82, 40.54)),
    Row("Llama-3.2-3B-Instruct", "SFT400", (60.65, 35.82, 37.4, 52.76)),
    Row("Llama-3.2-3B-Instruct", "SFT4k", (53.88, 29.85, 20.61, 43.89)),
    Row("Llama-3.2-3B-Instruct", "SFT400+PPO", (63.16, 47.76, 46.56, 57.79)),
    Row("Llama-3.2-3B-Instruct", "SFT400+GRPO", (63.6, 41.79, 43.51, 56.78)),
    Row("Llama-3.2-3B-Instruct", "PPO Cold Start", (60.65, 41.79, 48.09, 55.78)),
    Row("Llama-3.2-3B-Instruct", "GRPO Cold Start", (65.66, 52.24, 42.75, 59.13)),
)
