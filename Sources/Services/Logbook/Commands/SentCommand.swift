import Bytes
import Contract
import Timeline

/// A command to one or more ergs or gateways, with the outcome at each.
struct SentCommand: Sendable {
    /// The outcome at one place.
    struct Outcome: Equatable, Sendable {
        enum Status: String, Sendable {
            /// No answer was received yet.
            case sent
            /// The gateway is executing the command.
            case accepted
            case ok
            case error
        }

        var status = Status.sent
        /// A code of the contract or of `SentCommands.Failure`; nil before the answer.
        var code: String?
        /// A text for people.
        var message: String?
        /// A gateway's answer to a command for itself: a JSON object on one line.
        var reply: [UInt8]?
    }

    /// The content of the request. A repeated request has the same id and the same content.
    struct Content: Equatable, Sendable {
        let verb: CommandVerb
        /// A JSON object.
        let fields: [UInt8]
        let places: [LiveBoard.Place]
        /// The name of the token, or of the part of the logbook that sends the command.
        let sender: String
        /// Whether the logbook itself sends the command.
        var isFromLogbook = false
    }

    /// `request_id` on the wire, the same for every erg.
    let id: String
    let content: Content
    let sent: BootInstant
    /// In the order of `content.places`.
    var outcomes: [Outcome]
    /// The version of the history at the last change of this command.
    var changed: UInt64

    /// Whether an answer is still outstanding.
    var isOpen: Bool { outcomes.contains { $0.status == .sent || $0.status == .accepted } }

    /// The payload to publish: the id and the fields as they were received.
    var payload: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("request_id", id)
        // The fields were parsed before, so they are enclosed in braces.
        let inside = content.fields.drop { $0 != UInt8(ascii: "{") }.dropFirst()
        let isEmpty = inside.allSatisfy { " \t\r\n}".utf8.contains($0) }
        if isEmpty { writer.endObject() }
        return writer.bytes + (isEmpty ? [] : [UInt8(ascii: ",")] + inside)
    }

    /// Writes the command as the pages receive it.
    func write(to writer: inout JSONWriter, at now: BootInstant) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("verb", content.verb.rawValue)
        writer.field("by", content.sender)
        writer.field("age_ms", sent.duration(to: now).wholeMilliseconds)
        writer.key("fields")
        writer.value(json: content.fields)
        writer.key("ergs")
        writer.beginArray()
        for (place, outcome) in zip(content.places, outcomes) {
            writer.beginObject()
            writer.field("gw", place.gateway.slug)
            writer.field("erg", place.erg?.slug)
            writer.field("status", outcome.status.rawValue)
            writer.field("code", outcome.code)
            writer.field("message", outcome.message)
            if let reply = outcome.reply {
                writer.key("reply")
                writer.value(json: reply)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
