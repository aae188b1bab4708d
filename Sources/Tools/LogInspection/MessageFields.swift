import Bytes
import Contract

/// A message taken apart: its members in their order.
struct MessageFields {
    let members: [JSONObject.Member]

    /// nil for a payload that is no JSON object, which no version has written.
    init?(_ message: DurableMessage) {
        do throws(JSONSyntaxError) {
            guard case .object(let object) = try JSONValue(parsing: message.payload) else {
                return nil
            }
            members = object.members
        } catch { return nil }
    }

    /// The value of a member as a cell of a table: numbers as written, the parts of a list apart.
    static func cell(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .flag(let flag): flag ? "true" : "false"
        case .number(let text), .text(let text): text
        case .list(let values): values.map(cell).joined(separator: " ")
        case .object(let object):
            object.members.map { "\($0.name)=\(cell($0.value))" }.joined(separator: " ")
        }
    }
}
