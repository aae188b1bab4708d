import Bytes
import LogbookStores
import People

/// A person who signs in to the pages, with the devices that are signed in.
package struct ClubUser: Equatable, Sendable {
    package struct Device: Equatable, Sendable {
        /// Names the device to users; the first digits of the digest of its token.
        package let id: String
        /// For example `iPhone, Safari`.
        package let name: String
        /// Unix milliseconds of the sign-in, and of the last use, to about an hour.
        package let createdAt: Int64
        package let seenAt: Int64
        let digest: String

        init(_ stored: StoredDevice) {
            (id, digest) = (String(stored.digest.prefix(12)), stored.digest)
            (name, createdAt, seenAt) = (stored.name, stored.createdAt, stored.seenAt)
        }
    }

    /// A slug.
    package let id: String
    package let name: String
    package let role: Role
    /// The athlete who is this person; nil for coaches.
    package let athlete: String?
    package let createdAt: Int64
    /// When the open invitation expires, in Unix milliseconds; nil without one.
    package let invitedUntil: Int64?
    /// The last used first.
    package let devices: [Device]

    /// Writes the user as in the HTTP interface.
    ///
    /// - Parameter digest: The digest of the device that asks; `is_this_device` marks it.
    package func write(into json: inout JSONWriter, usedBy digest: String? = nil) {
        json.field("user_id", id)
        json.field("name", name)
        json.field("role", role.rawValue)
        json.field("athlete_id", athlete)
        json.field("created_ms", createdAt)
        json.field("invited_until_ms", invitedUntil)
        json.list("devices", of: devices) { json, device in
            json.field("device_id", device.id)
            json.field("name", device.name)
            json.field("created_ms", device.createdAt)
            json.field("seen_ms", device.seenAt)
            if device.digest == digest { json.field("is_this_device", true) }
        }
    }
}
