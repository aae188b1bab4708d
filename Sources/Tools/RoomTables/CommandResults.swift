import CommandLineText
import ControlSocket

extension RowgateInterface.Command.Reply {
    /// 0 when every erg did it, otherwise 1.
    package var exitStatus: Int32 {
        replies.allSatisfy { $0["status"] == "ok" } && !replies.isEmpty ? 0 : 1
    }

    /// One line per erg: the result as a code and a sentence.
    package var lines: [StyledLine] {
        var table = TextTable([("ERG", .leading), ("RESULT", .leading), ("", .leading)])
        for reply in replies {
            let code = reply["code"] ?? "?"
            table.add([
                reply["erg"].map { StyledLine($0) },
                StyledLine(code, reply["status"] == "ok" ? .good : .bad),
                StyledLine(reply["message"].map(Self.forTyping) ?? ""),
            ])
        }
        return table.lines
    }

    /// The message with JSON fields replaced by command-line options.
    private static func forTyping(_ message: String) -> String {
        let typed: [Substring: Substring] = [
            "\"force\":true": "--force", "athlete_id": "<athlete>", "for_s": "--for",
            "target_pace_s_per_500m": "--target",
        ]
        let words = message.split(separator: " ", omittingEmptySubsequences: false)
        return words.map { typed[$0] ?? $0 }.joined(separator: " ")
    }
}

extension RowgateInterface.ForgetAthlete.Reply {
    /// The result as text.
    package var text: String {
        "\(erased) records erased. Not within reach:\n"
            + beyondReach.map { "  - \($0)\n" }.joined()
    }
}
