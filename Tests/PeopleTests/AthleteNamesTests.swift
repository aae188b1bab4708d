import People
import Testing

@Suite struct AthleteNamesTests {
    @Test func namesakesHaveTheirID() throws {
        let names = AthleteNames([
            try AthleteProfile(id: "anna", name: "Anna Meier"), try AthleteProfile(id: "li", name: "Li Wei"),
            try AthleteProfile(id: "li-2", name: "LI WEI"),
        ])
        #expect(names["anna"] == "Anna Meier")
        #expect(names["li"] == "Li Wei (li)" && names["li-2"] == "LI WEI (li-2)")
        #expect(names["ben"] == "ben" && names.known("ben") == nil)
    }
}
