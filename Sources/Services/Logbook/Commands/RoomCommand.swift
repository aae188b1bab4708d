import Bytes
import Contract
import Timeline

/// One command to some ergs, and what each of them answered.
struct RoomCommand: Sendable {
    /// What became of it at one erg.
    struct Outcome: Equatable, Sendable {
        enum Status: String, Sendable {
            /// Nothing was heard yet.
            case sent
            /// The gateway is at it.
            case accepted
            case ok
            case error
        }

        var status = Status.sent
        /// One of the contract's, or of `CommandLedger.Loss`; nil before the answer.
        var code: String?
        /// For people.
        var message: String?
        /// What a gateway that did something itself answered: a JSON object in one line.
        var reply: [UInt8]?
    }

    /// What was asked for; the same again is the same request.
    struct Content: Equatable, Sendable {
        let verb: CommandVerb
        /// A JSON object.
        let fields: [UInt8]
        let places: [LiveBoard.Place]
        /// Whose token it came with, or which part of the logbook sends it.
        let sender: String
        /// Whether the logbook sends it of itself.
        var isOwn = false
    }

    /// `request_id` on the wire, the same for every erg.
    let id: String
    let content: Content
    let sent: BootInstant
    /// In the order of `content.places`.
    var outcomes: [Outcome]
    /// The ledger's number when something of it last changed.
    var changed: UInt64

    /// Whether an erg has not answered yet.
    var isOpen: Bool { outcomes.contains { $0.status == .sent || $0.status == .accepted } }

    /// What is published for each erg: the fields as they were given, and the id.
    var payload: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("request_id", id)
        // It was parsed before, so it has braces around it.
        let inside = content.fields.drop { $0 != UInt8(ascii: "{") }.dropFirst()
        let isEmpty = inside.allSatisfy { " \t\r\n}".utf8.contains($0) }
        if isEmpty { writer.endObject() }
        return writer.bytes + (isEmpty ? [] : [UInt8(ascii: ",")] + inside)
    }

    /// As the pages are told of it.
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
