import Bytes
import CPostgreSQL

/// What the server says, in words of ours where a person can do something about it.
enum PostgreSQLFailure {
    static let waiting = "records are kept as soon as it answers again"

    /// The kinds of errors that mean something to a caller: PostgreSQL 15, appendix A.
    static func answer(
        _ result: OpaquePointer, _ operation: String, _ place: String
    ) -> StoreFailure {
        let state = String(cString: rg_pq_state(result))
        let words = sentence(String(cString: rg_pq_words(result)))
        switch state {
        case "53100":
            return StoreFailure(
                .full, operation, place, "the server's disk is full",
                remedy: "make room on it; nothing is lost as long as the gateways have it")
        case "55P03", "40001", "40P01":
            return StoreFailure(.busy, operation, place, "another program holds it (\(words))")
        case "42501", "25006":
            return StoreFailure(
                .other, operation, place, words,
                remedy: "the role needs the right to make tables, and to write to them")
        case _ where state.hasPrefix("XX"):
            return StoreFailure(
                .corrupt, operation, place, "the server finds it damaged (\(words))",
                remedy: "look into the server's log; restore the database from its backup")
        case _ where ["57P", "08", "53"].contains { state.hasPrefix($0) }:
            return StoreFailure(.unreachable, operation, place, words, remedy: waiting)
        default: return StoreFailure(.other, operation, place, words)
        }
    }

    /// Why there is no connection.
    static func connecting(_ words: String, _ place: String) -> StoreFailure {
        let cause = sentence(words)
        let remedy =
            if cause.contains("authentication failed") || cause.contains("no password") {
                "check user, [store] password_file and the server's pg_hba.conf"
            } else if cause.contains("does not exist") {
                "make it with createuser and createdb"
            } else {
                "it is tried again; the server has to run, and to let this machine in"
            }
        return StoreFailure(.unreachable, "open", place, cause, remedy: remedy)
    }

    /// Lines of the library's as one sentence.
    static func sentence(_ words: String) -> String {
        let lines = words.split(whereSeparator: \.isNewline).map { line in
            var line = line.drop { $0 == " " || $0 == "\t" }
            for prefix in ["ERROR:", "FATAL:"] where line.hasPrefix(prefix) {
                line = line.dropFirst(prefix.count).drop { $0 == " " }
            }
            return String(line)
        }
        return lines.isEmpty ? "the server ended it" : lines.joined(separator: "; ")
    }
}
