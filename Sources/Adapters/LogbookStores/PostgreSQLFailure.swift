import Bytes
import CPostgreSQL

/// Translates server errors into store failures, with a remedy if a person can fix them.
enum PostgreSQLFailure {
    static let waiting = "records are stored once the server answers"

    /// Handles the error classes that matter to callers: PostgreSQL 15, appendix A.
    static func answer(
        _ result: OpaquePointer, _ operation: String, _ place: String
    ) -> StoreFailure {
        let state = String(cString: rg_pq_state(result))
        let message = sentence(String(cString: rg_pq_words(result)))
        switch state {
        case "53100":
            return StoreFailure(
                .full, operation, place, "the server's disk is full",
                remedy: "free space on it; gateways send the missing records again")
        case "55P03", "40001", "40P01":
            return StoreFailure(.busy, operation, place, "another program has locked it (\(message))")
        case "42501", "25006":
            return StoreFailure(
                .other, operation, place, message,
                remedy: "the role needs permission to create tables and to write to them")
        case _ where state.hasPrefix("XX"):
            return StoreFailure(
                .corrupt, operation, place, "the server reports damage (\(message))",
                remedy: "check the server's log; restore the database from its backup")
        case _ where ["57P", "08", "53"].contains { state.hasPrefix($0) }:
            return StoreFailure(.unreachable, operation, place, message, remedy: waiting)
        default: return StoreFailure(.other, operation, place, message)
        }
    }

    /// Why connecting failed.
    static func connecting(_ message: String, _ place: String) -> StoreFailure {
        let cause = sentence(message)
        let remedy =
            if cause.contains("authentication failed") || cause.contains("no password") {
                "check user, [store] password_file and the server's pg_hba.conf"
            } else if cause.contains("does not exist") {
                "create it with createuser and createdb"
            } else {
                "the logbook retries; the server must run and accept connections from this machine"
            }
        return StoreFailure(.unreachable, "open", place, cause, remedy: remedy)
    }

    /// Joins the lines of a libpq message into one sentence.
    static func sentence(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline).map { line in
            var line = line.drop { $0 == " " || $0 == "\t" }
            for prefix in ["ERROR:", "FATAL:"] where line.hasPrefix(prefix) {
                line = line.dropFirst(prefix.count).drop { $0 == " " }
            }
            return String(line)
        }
        return lines.isEmpty ? "the server closed the connection" : lines.joined(separator: "; ")
    }
}
