import Bytes
import Contract
import Testing

@testable import People

@Suite struct AthleteProfileTests {
    private func profile(_ texts: [AthleteField: String]) throws(PeopleFault) -> AthleteProfile {
        try AthleteProfile(id: "anna") { texts[$0] ?? "" }
    }

    private func fault(_ texts: [AthleteField: String]) -> String? {
        do throws(PeopleFault) {
            _ = try profile(texts)
            return nil
        } catch { return "\(error)" }
    }

    @Test(arguments: [
        "Anna Müller", "O'Brien", "D\u{2019}Arcy", "李伟", "محمد علي", "Þórsson", "Anna 🚣",
        String(repeating: "ä", count: 60),
    ])
    func acceptsNames(_ name: String) throws {
        #expect(try profile([.name: "  \(name) "]).name == name)
    }

    @Test(arguments: [
        ("", "name: the name is empty; write a name"),
        (" \t", "name: the name is empty; write a name"),
        (String(repeating: "a", count: 61), "name: it has 61 characters; use at most 60"),
        // 60 characters with 10 accents each.
        (
            String(repeating: "a" + String(repeating: "\u{301}", count: 10), count: 60),
            "name: it has 60 characters; use at most 60"
        ),
        ("Anna\nMüller", "name: it has a control character; use only text, on one line"),
        ("Anna\u{202E}relluM", "name: it has a control character; use only text, on one line"),
        ("Anna\u{0}", "name: it has a control character; use only text, on one line"),
    ])
    func refusesNames(_ name: String, _ expected: String) {
        #expect(fault([.name: name]) == expected)
    }

    @Test func readsAndWritesEveryField() throws {
        let texts: [AthleteField: String] = [
            .id: "anna", .name: "Anna Müller", .shortName: "Anna M", .gender: "female", .birthYear: "2006",
            .weightClass: "lightweight", .weight: "57.5", .power2k: "212", .power6k: "180",
            .beltID: "Polar H10 1A2B",
            .note: "sits\nhigh", .isArchived: "true",
        ]
        let profile = try profile(texts)
        for field in AthleteField.allCases { #expect(profile[field] == texts[field], "\(field)") }
        let stored = JSONWriter.object(profile.writeDetails)
        #expect(try AthleteProfile(stored: stored, id: "anna") == profile)
        let short = try self.profile([.name: "Anna"])
        #expect(
            try AthleteProfile(stored: JSONWriter.object(short.writeDetails), id: "anna") == short)
        #expect(String(decoding: JSONWriter.object(short.writeDetails), as: UTF8.self) == #"{"name":"Anna"}"#)
    }

    @Test(arguments: [
        (AthleteField.birthYear, "94"), (.birthYear, "2006.5"), (.gender, "f"), (.weightClass, "heavy"),
        (.weight, "7"), (.weight, "nan"), (.weight, "1e300"), (.power2k, "2000"), (.power6k, "x"),
        (.isArchived, "yes"),
        (.shortName, "a name of more than twenty"), (.note, String(repeating: "n", count: 301)),
        (.beltID, "a\nb"),
    ])
    func namesTheWrongField(_ field: AthleteField, _ text: String) throws {
        let found = try #require(fault([.name: "Anna", field: text]))
        #expect(found.hasPrefix("\(field.rawValue): "), "\(found)")
        #expect(found.split(separator: "; ").count == 2, "the remedy: \(found)")
    }

    @Test func damagedStoreNamesTheAthlete() {
        #expect(throws: PeopleFault("the stored athlete anna is damaged (name is missing)", "save it again"))
        {
            try AthleteProfile(stored: Array("{}".utf8), id: "anna")
        }
    }

    @Test func groupHasEachMemberOnce() throws {
        let group = try AthleteGroup(id: "juniors", name: " Juniors ", members: ["ben", "anna", "ben"])
        #expect(group.name == "Juniors" && group.members == ["anna", "ben"])
        #expect(throws: PeopleFault.self) { try AthleteGroup(id: "Juniors", name: "J", members: []) }
        #expect(throws: PeopleFault.self) { try AthleteGroup(id: "j", name: "J", members: ["a/b"]) }
    }
}

@Suite struct AthleteNamingTests {
    @Test(arguments: [
        ("Amara Okafor", "amara-okafor"), ("Jörg Müller-Weiß", "jorg-muller-weiss"), ("O'Brien", "obrien"),
        ("Jón Þórsson", "jon-thorsson"), ("Łukasz Żak", "lukasz-zak"), ("Nguyễn Thị Hằng", "nguyen-thi-hang"),
        ("  --  Anna  ", "anna"), ("李伟", "athlete-1"), ("🚣", "athlete-1"), ("A\u{301}nna", "anna"),
        (String(repeating: "long name ", count: 9), "long-name-long-name-long-name-lo"),
    ])
    func idComesFromTheName(_ name: String, _ id: String) {
        #expect(AthleteNaming.id(for: name) { _ in false } == id)
        #expect(Slug.isValid(id) && AthleteID.isValid(id))
    }

    @Test func usedIDGetsNumber() {
        let used: Set = ["anna-muller", "anna-muller-2", "athlete-1"]
        #expect(AthleteNaming.id(for: "Anna Müller", isUsed: used.contains) == "anna-muller-3")
        #expect(AthleteNaming.id(for: "李伟", isUsed: used.contains) == "athlete-2")
        let long = String(repeating: "a", count: 60)
        let first = AthleteNaming.id(for: long) { _ in false }
        let second = AthleteNaming.id(for: long) { $0 == first }
        #expect(second.utf8.count == Slug.maximumLength && second.hasSuffix("-2"))
    }

    @Test func searchIgnoresCaseAndAccents() {
        #expect(AthleteNaming.folded("ÉLODIE Straße") == "elodie strasse")
        #expect(AthleteNaming.folded("Ｌ李") == "ｌ李")
    }
}
