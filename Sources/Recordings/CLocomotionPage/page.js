(()=>{"use strict";
const all=(selector,within=document)=>[...within.querySelectorAll(selector)];
const sample=document.createElement("template");
sample.innerHTML="<svg></svg>";
const drawings=sample.content.firstChild.namespaceURI;
// Adds an element to its parent, as one of a drawing inside one.
function add(parent,name,attributes={},text){
  const isDrawn=name==="svg"||parent.namespaceURI===drawings;
  const element=isDrawn?document.createElementNS(drawings,name):document.createElement(name);
  for(const key in attributes)
    if(attributes[key]!==undefined)element.setAttribute(key,attributes[key]);
  if(text!==undefined)element.textContent=text;
  parent.append(element);
  return element;
}
const report=JSON.parse(document.getElementById("document").textContent);
const modes=["walking","running","cycling","automotive","train","stationary","unnamed"];
const nameOf=style=>({unnamed:"mode unknown",gap:"no data"})[style]??style;
const resets=[];

// Blocks: each is an object whose first key says what it is.
const draw={
  note:(to,text)=>add(to,"p",{class:"note"},text),
  name:(to,text,level)=>heading(to,text,level+1,3),
  list(to,texts){
    const list=add(to,"ul");
    for(const text of texts)add(list,"li",{},text);
  },
  heading(to,text,level,{blocks}){
    const section=add(to,"section");
    heading(section,text,level);
    fill(section,blocks,level);
  },
  fold(to,text,level,{open,blocks}){
    const fold=add(to,"details",{class:"fold",open:open&&""});
    add(fold,"summary",{},text);
    fill(fold,blocks,level);
  },
  table,bars,calendar,activities,days,reliability,
  day:showDay,plan:showPlan,
};
function fill(to,blocks,level){
  for(const block of blocks){
    const kind=Object.keys(block)[0];
    draw[kind](to,block[kind],level,block);
  }
}
// A heading that looks like one of `rank`, at the level that it has where it stands.
function heading(to,text,level,rank=level){
  return add(to,"h"+level,{class:level===rank||rank===2&&level<3?undefined:"t"+rank},text);
}
function table(to,{head,rows}){
  const isBar=head.map(name=>name==="");
  const box=add(to,"div",{class:"table"});
  const element=add(box,"table",{class:isBar[1]?"totals":undefined});
  const cell=(row,value,index,isHead)=>{
    const name=isHead||!index?"th":"td",scope={th:isHead?"col":"row"}[name];
    if(isBar[index]){
      const bar=add(row,"td",{class:"bar"});
      if(!value.bar)return;
      const drawing=add(bar,"svg",{viewBox:"0 0 100 8",preserveAspectRatio:"none","aria-hidden":true});
      add(drawing,"rect",{class:styleOf(value.bar),width:value.of*100,height:8});
      return;
    }
    const added=add(row,name,{scope,title:value.tip});
    add(added,"bdi",{},value.text??value);
    if(value.note)add(added,"small",{},value.note);
    if(value.share!==undefined)added.style.setProperty("--share",value.share);
  };
  if(rows.some(row=>row.some(value=>value.share!==undefined)))element.classList.add("heat");
  const titles=add(add(element,"thead"),"tr"),body=add(element,"tbody");
  head.forEach((name,index)=>cell(titles,name,index,true));
  for(const values of rows){
    const row=add(body,"tr");
    values.forEach((value,index)=>cell(row,value,index));
  }
}
// The class that fills a shape in the colour of an activity or a kind.
const styleOf=style=>modes.includes(style)?"f-"+style:style;
function key(list,style,text,isLine){
  const entry=add(list,"li");
  if(isLine)add(add(entry,"svg",{class:"key",viewBox:"0 0 40 10","aria-hidden":true}),"path",
    {class:"track s-"+style,d:"M4 5H36"});
  else add(entry,"i",{class:"swatch "+(modes.includes(style)?"b-"+style:style)});
  entry.append(text);
}
function mark(list,style,text,d){
  const entry=add(list,"li");
  add(add(entry,"svg",{class:"swatch",viewBox:"0 0 14 14","aria-hidden":true}),"path",{class:style,d});
  entry.append(text);
}
// What the colours of pieces mean, places and gaps first.
function legend(to,pieces,isLine){
  const styles=new Set(pieces.map(piece=>piece[2])),list=add(to,"ul",{class:"legend"});
  for(const style of ["stay","gap"])if(styles.has(style))key(list,style,nameOf(style));
  for(const style of modes)if(styles.has(style))key(list,style,nameOf(style),isLine);
  if(pieces.some(piece=>piece[4]))key(list,"silent","lighter: not observed, inferred");
  return list;
}
const corrected=list=>mark(list,"corrected","corrected by the person","M0 7H14");

// The list of activities, and that of days.
function activities(to,entries){
  const list=add(to,"ol",{class:"activities"});
  for(const {name,when,key,style,figures,course} of entries){
    const entry=add(list,"li"),drawing=add(entry,"svg",{viewBox:"0 0 96 72","aria-hidden":true});
    add(drawing,"rect",{class:"ground",width:96,height:72,rx:8});
    add(drawing,"path",{class:"course s-"+style,d:course.length?"M"+course.join(" "):undefined});
    const text=add(entry,"div"),title=add(text,"strong");
    if(key)add(title,"a",{href:"#"+key},name);
    else title.textContent=name;
    text.append(" ");
    add(text,"span",{},when);
    add(text,"p",{},figures);
  }
}
function calendar(to,{hours,minutes,rows}){
  const list=add(to,"ol",{class:"calendar","aria-label":"Days"});
  const titles=add(list,"li",{"aria-hidden":true});
  add(titles,"span");
  const labels=add(titles,"span",{class:"hours"+(minutes>1440?"":" even")});
  for(const hour of hours)add(labels,"span",{},hour);
  add(titles,"small",{class:"value"},"Distance");
  add(titles,"small",{class:"value steps"},"Steps");
  for(const row of rows){
    const {month,name,key,note,length,distance,steps}=row;
    const entry=add(list,"li",
      {class:name===undefined?"month":name.startsWith("Mon")?"monday":undefined});
    if(name===undefined)add(entry,"h3",{},month);
    else if(row.empty){
      add(entry,"span",{class:"none"},name);
      add(entry,"span",{class:"none"},row.empty);
      continue;
    }else{
      const label=add(entry,"span"),isEmpty=!row.pieces.length;
      add(label,key?"a":"span",{href:key&&"#"+key,class:isEmpty?"none":undefined},name);
      if(note)label.append(" ",add(label,"small",{},note));
      const strip=add(entry,"svg",{class:"strip",viewBox:`0 0 ${minutes} 20`,role:"img",
        preserveAspectRatio:"none"});
      add(strip,"title",{},`${name}: ${row.counts}`);
      add(strip,"rect",{class:"empty",width:length,height:20});
      for(const [from,to,style,tip,silent=[]] of row.pieces){
        // The shortest trip is still visible.
        const width=Math.max(to-from,style==="stay"?.1:3);
        const box=add(strip,"rect",{class:styleOf(style),x:from,y:0,width,height:20});
        add(box,"title",{},`${name}: ${tip}`);
        for(const [a,b] of silent)add(strip,"rect",{class:"silent",x:a,y:0,width:b-a,height:20});
      }
      for(const x of row.ticks)add(strip,"path",{class:"tick",d:`M${x} 0V20`});
    }
    add(entry,"span",{class:"value"},distance);
    add(entry,"span",{class:"value steps"},steps);
  }
  legend(to,rows.flatMap(row=>row.pieces??[]));
}
// The days, each drawn when it is unfolded.
function days(to,entries){
  entries.forEach(({key,name,text,day},index)=>{
    const fold=add(to,"details",{class:"day"}),summary=add(fold,"summary");
    add(summary,"h3",{},name);
    summary.append(" ");
    add(summary,"span",{},text);
    const box=add(fold,"div",{id:key});
    const around=[[entries[index-1],"prev","‹ ",""],[entries[index+1],"next",""," ›"]];
    const links=entries.length>1?add(box,"nav",{class:"neighbours","aria-label":"Days around "+name}):0;
    for(const [other,rel,before,after] of around)
      if(other)add(links,"a",{rel,href:"#"+other.key},before+other.short+after);
    fold.addEventListener("toggle",()=>showDay(box,day,4),{once:true});
  });
}

// Drawings over the whole width, drawn again where that changes.
function drawing(to,name,about,paint){
  const figure=add(to,"figure");
  let width=0;
  const redraw=()=>{
    const now=Math.round(figure.clientWidth);
    if(!now||now===width)return;
    width=now;
    const svg=add(figure,"svg",{role:"img"});
    add(svg,"title",{},name);
    add(svg,"desc",{},about);
    paint(svg,width);
    figure.replaceChildren(svg);
  };
  new ResizeObserver(()=>requestAnimationFrame(redraw)).observe(figure);
  redraw();
}
const round=(value,factors=[1,1.2,1.6,2,3,4,6,8,10])=>{
  const power=10**Math.floor(Math.log10(value));
  return power*factors.find(factor=>factor*power>=value*(1-1e-9));
};
const counted=value=>Math.round(value).toLocaleString("en-US");
function bars(to,title,level,{unit,of}){
  heading(to,title,level+1,3);
  const sums=of.map(([,,parts])=>parts.reduce((sum,[,,value])=>sum+value,0));
  const largest=Math.max(1,...sums),top=round(largest),height=92,reach=height-18;
  const about=`Bars by activity, from ${of[0][0]} to ${of.at(-1)[0]}; the largest is `
    +`${counted(largest)} ${unit}. The table below has all values.`;
  drawing(to,title,about,(svg,width)=>{
    const hasYears=of.some(([,label])=>label.includes("\n"));
    svg.setAttribute("viewBox",`0 0 ${width} ${height+(hasYears?36:22)}`);
    for(const part of [0,.5,1])add(svg,"path",{class:part?"hair":"base",
      d:`M0 ${height-part*reach}H${width}`});
    // The numbers of the axis stand beside the bars.
    const left=56,step=(width-left)/Math.max(of.length,7),every=Math.max(Math.ceil(42/step),1);
    let last=-1e9;
    of.forEach(([name,label,parts],index)=>{
      let y=height;
      for(const [style,activity,value] of parts){
        y-=value/top*reach;
        const box=add(svg,"rect",{class:styleOf(style),x:left+(index+.12)*step,y,
          width:step*.76,height:value/top*reach});
        add(box,"title",{},`${name}: ${activity}, ${value} ${unit}`);
      }
      const [text,year]=label.split("\n"),x=left+(index+.5)*step;
      if(index%every===0)add(svg,"text",{x,y:height+16,"text-anchor":"middle"},text);
      if(!year||x<last+34)return;
      add(svg,"text",{x,y:height+30,"text-anchor":"middle"},year);
      last=x;
    });
    for(const part of [.5,1])add(svg,"text",{class:"halo",x:0,y:height-part*reach-4},
      (top*part<10?Number((top*part).toFixed(1)):counted(top*part))+(part===1?" "+unit:""));
  });
}
// How often answers were right by how probable they claimed to be.
function reliability(to,diagrams,level){
  const pair=add(to,"div",{class:"diagrams"}),side=300,margin=40;
  for(const {name,bins,caption} of diagrams){
    const figure=add(pair,"figure");
    heading(figure,name,level+1,3);
    const total=bins.reduce((sum,[,,count])=>sum+count,0);
    const svg=add(figure,"svg",{viewBox:`0 0 ${side+margin+16} ${side+margin+16}`,role:"img"});
    add(svg,"title",{},"Reliability: "+name);
    add(svg,"desc",{},"The fraction of right answers against the probability that they claimed; "
      +total+" windows.");
    const x=claimed=>margin+claimed*side,y=right=>8+(1-right)*side;
    for(const part of [0,.25,.5,.75,1]){
      const style=part?"hair":"base";
      add(svg,"path",{class:style,d:`M${x(part)} 8V${y(0)}`});
      add(svg,"path",{class:style,d:`M${margin} ${y(part)}H${x(1)}`});
      add(svg,"text",{x:x(part),y:y(0)+18,"text-anchor":"middle"},100*part);
      add(svg,"text",{x:margin-8,y:y(part)+4,"text-anchor":"end"},100*part);
    }
    add(svg,"path",{class:"ideal",d:`M${x(0)} ${y(0)}L${x(1)} ${y(1)}`});
    for(const [claimed,right,count] of bins){
      const dot=add(svg,"circle",{class:"bin",cx:x(claimed),cy:y(right),
        r:2.5+9*Math.sqrt(count/total)});
      const [says,is]=[claimed,right].map(part=>(100*part).toFixed(1)+" %");
      add(dot,"title",{},`claimed ${says}, right ${is}, ${count} windows`);
    }
    if(bins.length)add(svg,"path",{class:"curve",
      d:"M"+bins.map(([claimed,right])=>`${x(claimed)} ${y(right)}`).join("L")});
    add(svg,"text",{x:x(1),y:side+margin+10,"text-anchor":"end"},"claimed, %");
    add(figure,"figcaption",{},caption);
  }
}

// A day, or a recording that is about one activity.
function showDay(to,day,level){
  const box=add(to,"div",{class:"whole"}),first=add(box,"section");
  heading(first,day.name,level,2);
  day.box=box;
  day.trips=day.items.filter(item=>item.legs);
  day.lines=day.trips.flatMap(item=>item.legs.map((leg,index)=>
    ({...leg,trip:item.badge,tip:item.pieces[index][3]})));
  const pieces=day.items.flatMap(item=>item.pieces);
  const isCorrected=day.lines.some(line=>line.corrected);
  const charts=[];
  // That of one leg is no news.
  if(pieces.length>1||!day.trips.length){
    charts.push({isStrip:true,name:"The recording as a strip of time",
      to:add(first,"figure",{class:"time"}),
      about:day.counts+", in time order; the list says the same in words."});
    const keys=legend(first,pieces,true);
    if(isCorrected)corrected(keys);
  }
  locate(day);
  const pair=day.bounds?add(first,"div",{class:"pair"}):first;
  story(pair,day);
  if(day.bounds){
    const beside=add(pair,"div",{class:"beside"});
    heading(beside,"The map",level+1,3);
    const figure=add(beside,"figure"),map=add(figure,"div",{class:"map"});
    if(day.attribution)add(add(figure,"figcaption"),"bdi",{},day.attribution);
    add(beside,"p",{class:"status",role:"status"});
    const named=day.sites.filter(site=>site.name);
    if(named.length){
      const list=add(beside,"ul",{class:"legend places"});
      for(const {letter,name} of named){
        const entry=add(list,"li");
        add(entry,"b",{class:"badge"},letter);
        add(entry,"bdi",{},name);
      }
    }
    day.map=map;
  }
  fill(first,day.splits??[],level);
  const second=add(box,"section");
  heading(second,"Minute by minute",level,2);
  for(const curve of day.curves){
    heading(second,curve.name,level+1,3);
    charts.push({...curve,to:add(second,"figure",{class:"time"})});
    if(!curve.names)continue;
    const answers=new Set(curve.values.split(",").map(cell=>cell[0]));
    const list=add(second,"ul",{class:"legend"});
    curve.names.forEach((name,index)=>answers.has(String(index))&&key(list,name,name));
    if(answers.has("x"))mark(list,"hatch","not named","M0 14L14 0M0 7L7 0M7 14L14 7");
    if(isCorrected)corrected(list);
  }
  for(const note of day.notes)draw.note(second,note);
  light(day);
  watch(day,charts);
  if(day.map)start(day,day.map);
}
// A plan, which has no times: a second for each of its points.
function showPlan(to,day,level){
  day.box=add(to,"div",{class:"whole"});
  Object.assign(day,{items:[],trips:[],sites:[],whole:{legs:[],badge:"1"},
    lines:day.tracks.map((track,index)=>({...track,tip:track.name,trip:String(index+1)}))});
  locate(day);
  if(day.bounds){
    const section=add(day.box,"section");
    heading(section,"Map",level);
    day.map=add(add(section,"figure"),"div",{class:"map"});
  }
  const charts=day.curves.map(curve=>{
    const section=add(day.box,"section");
    heading(section,curve.name,level);
    return{...curve,to:add(section,"figure",{class:"time"})};
  });
  light(day);
  watch(day,charts);
  if(day.map)start(day,day.map);
}
function story(to,day){
  const box=add(to,"div"),list=add(box,"ol",{class:"story"+(day.twelve?" twelve":"")});
  if(day.items.length)correct(box,day);
  for(const item of day.items){
    const {kind,when,badge,title,detail,remarks,purpose,legs}=item;
    const entry=add(list,"li",{class:{stay:"at",trip:"way",gap:"gap"}[kind],"data-t":legs&&badge});
    const times=add(entry,"span",{class:"when"});
    add(times,"time",{},when[0]);
    times.append("–");
    add(times,"time",{},when[1]);
    add(entry,"b",{"aria-hidden":true},badge);
    const text=add(entry,"div");
    item.label=add(text,"strong",{class:"title"});
    add(item.label,"bdi",{},title);
    text.append(" ");
    add(text,"span",{},detail);
    if(remarks)add(text,"small",{},remarks);
    if(purpose)add(add(text,"p",{class:"purpose"}),"bdi",{},purpose);
    item.summary=`Trip ${badge}: ${title}, ${when.join("–")}, ${detail}`;
    item.entry=entry;
    item.from=item.pieces[0][0];
    item.to=item.pieces.at(-1)[1];
    if(!legs)continue;
    const ways=add(text,"ul");
    for(const leg of legs){
      const way=add(ways,"li");
      add(add(way,"svg",{class:"key",viewBox:"0 0 40 10","aria-hidden":true}),"path",
        {class:"track s-"+leg.activity,d:"M4 5H36"});
      const words=add(way,"div",{},leg.name+" ");
      add(words,"span",{},leg.extent);
      if(leg.more)add(words,"small",{},leg.more);
      if(leg.splits)fill(words,[leg.splits],5);
    }
  }
}
// Trips light up everywhere where one is pointed at or chosen.
function light(day){
  const {box,trips}=day;
  let pinned=null,shown=null;
  day.paint=()=>{
    box.classList.toggle("lighted",shown!==null);
    for(const element of all("[data-t]",box))
      element.classList.toggle("lit",element.dataset.t===shown);
  };
  const show=trip=>{if(trip!==shown){shown=trip;day.paint()}};
  const tripOf=target=>target.closest?.("[data-t]")?.dataset.t??null;
  const pin=trip=>{
    pinned=trip===pinned?null:trip;
    show(pinned);
    for(const {label,badge} of trips)label.setAttribute("aria-pressed",badge===pinned);
    const status=all(".status",box)[0];
    if(status)status.textContent=trips.find(({badge})=>badge===pinned)?.summary??"";
  };
  for(const {label,badge} of trips){
    label.setAttribute("role","button");
    label.setAttribute("tabindex","0");
    label.setAttribute("aria-pressed","false");
    label.addEventListener("keydown",event=>{
      if(event.key!=="Enter"&&event.key!==" ")return;
      event.preventDefault();
      pin(badge);
    });
  }
  box.addEventListener("pointerover",event=>{
    if(event.pointerType!=="touch")show(tripOf(event.target)??pinned);
  });
  box.addEventListener("pointerleave",()=>show(pinned));
  box.addEventListener("focusin",event=>show(tripOf(event.target)??pinned));
  box.addEventListener("focusout",()=>show(pinned));
  box.addEventListener("pointerdown",()=>{day.isDragged=false},true);
  box.addEventListener("click",event=>{
    const trip=tripOf(event.target);
    if(trip===null||event.target.closest("summary,form,button")||day.isDragged)return;
    pin(trip);
    if(!event.target.closest(".story"))
      trips.find(({badge})=>badge===pinned)?.label.scrollIntoView({block:"nearest"});
  });
  box.addEventListener("keydown",event=>{
    if(event.key==="Escape"&&pinned!==null)pin(pinned);
  });
}
const steps=[1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,10800,21600,43200,86400];
const two=number=>String(number).padStart(2,"0");
// The curves over time or distance, and the instant that all of them, list and map show.
function watch(day,charts){
  const {box,from:base,span,zones,items}=day;
  const offset=t=>zones.findLast(([from])=>from<=t)?.[1]??zones[0][1];
  for(const chart of charts){
    chart.cells=chart.values?.split(",");
    chart.way=chart.way?.split(",").map(Number);
    chart.spread=chart.spread?.split(",").map(Number);
  }
  const view={from:0,to:span};
  const clock=(t,isFine=span<600)=>{
    const zone=zones&&offset(t),start=zones?base+zone:0;
    const second=zones?((Math.floor(start+t)%86400)+86400)%86400:Math.floor(t);
    const hour=Math.floor(second/3600);
    const rest=":"+two(Math.floor(second/60)%60)+(isFine?":"+two(second%60):"");
    if(!zones)return hour+rest;
    if(!day.twelve)return two(hour)+rest;
    return(hour+11)%12+1+rest+(hour<12?" AM":" PM");
  };
  day.clock=clock;
  const ticks=(from,to,width)=>{
    const least=76/width*(to-from);
    const step=steps.find(step=>step>=least)??Math.ceil(least/86400)*86400,found=[];
    const list=(shown,zone)=>{
      for(let t=Math.ceil((shown+from)/step-1e-9)*step-shown;t<=to+1e-6;t+=step)
        if(zone===undefined||offset(t)===zone)found.push({t,label:clock(t,step<60||span<600)});
    };
    // What lies on both sides of a change of the clocks has two offsets.
    if(zones)for(const zone of new Set([offset(from),offset(to)]))list(base+zone,zone);
    else list(0);
    return found;
  };
  const number=cell=>cell===""||cell===undefined?null:Number(cell);
  const reading=(chart,t)=>{
    if(chart.isStrip)return clock(t);
    const cell=chart.cells[Math.min(Math.floor(t/span*chart.cells.length),chart.cells.length-1)];
    if(!chart.names)return cell===""?"":cell+" "+chart.unit;
    if(cell==="")return"";
    return cell==="x"?"not named":chart.names[Number(cell[0])]+" "+cell.slice(1)+" %";
  };
  function paint(chart){
    const width=Math.round(chart.to.clientWidth);
    if(!width)return;
    const {from,to}=chart.isStrip?{from:0,to:span}:view;
    const height=chart.isStrip?66:chart.way?150:chart.names?28:92;
    const total=height+(chart.isStrip?20:24);
    chart.width=width;
    chart.x=t=>(t-from)/(to-from)*width;
    chart.t=x=>from+x/width*(to-from);
    if(chart.way)overDistance(chart,from,to);
    const svg=add(chart.to,"svg",{viewBox:`0 0 ${width} ${total}`,role:"img"});
    add(svg,"title",{},chart.name);
    add(svg,"desc",{},chart.about);
    for(const {t,label} of chart.way?milestones(chart):ticks(from,to,width)){
      const x=chart.x(t).toFixed(1);
      add(svg,"path",{class:"hair",d:`M${x} ${chart.isStrip?12:0}V${height}`});
      add(svg,"text",{class:"label",x,y:height+16,
        "text-anchor":x<16?"start":x>width-16?"end":"middle"},label);
    }
    if(chart.isStrip)strip(chart,svg);
    else if(chart.names)answers(chart,svg,height);
    else curve(chart,svg,height);
    if(!chart.isStrip)for(const {badge,legs,from,to} of items)if(legs)slice(chart,svg,from,to,
      {class:"band","data-t":badge,y:0,height},2);
    // Above the bands, so that their tips are found.
    if(chart.isStrip||chart.names)for(const {legs,pieces} of items)legs?.forEach((leg,index)=>{
      const [from,to,,tip]=pieces[index];
      if(leg.corrected)add(add(svg,"path",{class:"corrected",d:`M${chart.x(from).toFixed(1)} `
        +`${chart.isStrip?15:2}H${Math.max(chart.x(to),chart.x(from)+2).toFixed(1)}`}),"title",{},tip);
    });
    chart.to.replaceChildren(svg);
    chart.svg=svg;
  }
  // Gives a chart the way for its axis.
  function overDistance(chart,from,to){
    const {way,width}=chart,cell=span/way.length;
    const metres=t=>{
      const i=Math.min(Math.max(t/cell,0),way.length),index=Math.floor(i),last=way[index-1]??0;
      return last+((way[index]??last)-last)*(i-index);
    };
    const first=metres(from),length=Math.max(metres(to)-first,1);
    chart.metres=metres;
    chart.x=t=>(metres(t)-first)/length*width;
    chart.t=x=>{
      const wanted=first+x/width*length;
      let index=way.findIndex(sum=>sum>=wanted);
      if(index<0)index=way.length-1;
      const last=way[index-1]??0,step=way[index]-last;
      const t=(index+(step>0?Math.min(Math.max((wanted-last)/step,0),1):0))*cell;
      return Math.min(Math.max(t,from),to);
    };
    chart.first=first;
    chart.length=length;
  }
  function milestones({width,first,length,t}){
    const [,,name,unit]=day.units,found=[];
    const step=Math.max(round(76/width*length/unit,[1,2,5,10]),.01);
    for(let at=Math.ceil(first/unit/step-1e-9)*step;at*unit<=first+length+.5;at+=step)
      found.push({t:t((at*unit-first)/length*width),label:Number(at.toFixed(2))+" "+name});
    return found;
  }
  // The area below a profile by how steep the way is, and its highest and lowest points.
  function slopes(chart,svg,values,height,y,middle){
    const cell=span/values.length,at=i=>chart.metres((i+.5)*cell);
    const steep=i=>{
      let [a,b]=[i,i];
      while(a>0&&at(i)-at(a)<60&&values[a-1]!==null)a--;
      while(b<values.length-1&&at(b)-at(i)<60&&values[b+1]!==null)b++;
      const run=at(b)-at(a),slope=run>20?(values[b]-values[a])*day.units[1]/run:0;
      const size=[.03,.07,.12].filter(limit=>Math.abs(slope)>=limit).length;
      return size?(slope>0?"up":"down")+size:"level";
    };
    let run=[];
    const close=()=>{
      if(run.length>1)add(svg,"path",{class:run.style,
        d:`M${middle(run[0])} ${height}L`+run.map(i=>`${middle(i)} ${y(values[i])}`).join("L")
          +`L${middle(run.at(-1))} ${height}Z`});
    };
    values.forEach((value,i)=>{
      const style=value===null?null:steep(i),last=run.at(-1);
      if(style!==run.style||last!==i-1){
        if(style&&last===i-1)run.push(i);
        close();
        run=[];
        run.style=style;
      }
      if(style)run.push(i);
    });
    close();
    const known=values.flatMap((value,i)=>
      value===null||chart.x((i+.5)*cell)<0||chart.x((i+.5)*cell)>chart.width?[]:[[value,i]]);
    const highest=known.reduce((a,b)=>b[0]>a[0]?b:a,known[0]);
    const lowest=known.reduce((a,b)=>b[0]<a[0]?b:a,known[0]);
    for(const point of new Set([highest,lowest].filter(Boolean))){
      const [value,i]=point,x=Number(middle(i)),level=Number(y(value)),isLeft=x<84;
      add(svg,"circle",{class:"summit",cx:x,cy:level,r:3});
      // Beside the numbers of the axis.
      add(svg,"text",{class:"halo summit",x:isLeft?Math.max(x,54):x,
        y:point===lowest&&level+16<height?level+16:level-7,
        "text-anchor":isLeft?"start":x>chart.width-40?"end":"middle"},counted(value)+" "+chart.unit);
    }
  }
  function slice(chart,parent,from,to,attributes,least){
    const x=Math.max(chart.x(from),0),end=Math.min(chart.x(to),chart.width);
    if(end<0||x>chart.width)return null;
    return add(parent,"rect",{...attributes,x:x.toFixed(1),
      width:Math.max(end-x,least).toFixed(1)});
  }
  function hatch(parent,x,y,width,height){
    let lines="";
    for(let left=x-height;left<x+width;left+=8){
      const from=Math.max(left,x),to=Math.min(left+height,x+width);
      lines+=`M${from.toFixed(1)} ${(y+height-from+left).toFixed(1)}`
        +`L${to.toFixed(1)} ${(y+height-to+left).toFixed(1)}`;
    }
    add(parent,"path",{class:"hatch",d:lines});
  }
  function strip(chart,svg){
    for(const {legs,badge,pieces} of items)for(const [from,to,style,tip,silent=[]] of pieces){
      const x=chart.x(from),length=Math.max(chart.x(to)-x-1,.6),isUnknown=style==="unnamed";
      const rect=add(svg,"rect",{class:isUnknown?style:styleOf(style),x:x.toFixed(1),y:18,
        width:length.toFixed(1),height:40,"data-t":legs&&badge});
      add(rect,"title",{},tip);
      if(isUnknown||style==="gap")hatch(svg,x,18,length,40);
      for(const [from,to] of silent)slice(chart,svg,from,to,{class:"silent",y:18,height:40},0);
      if(style==="stay"&&length>18)add(svg,"text",{class:"letter",x:(x+length/2).toFixed(1),y:43,
        "text-anchor":"middle"},badge);
    }
    let end=-1e9;
    for(const {legs,badge,from,to} of items){
      if(!legs)continue;
      const half=3.5*badge.length,middle=(chart.x(from)+chart.x(to))/2;
      const x=Math.min(Math.max(middle,half),chart.width-half);
      if(x-half<=end+3)continue;
      end=x+half;
      add(svg,"text",{class:"trip","data-t":badge,x:x.toFixed(1),y:10,"text-anchor":"middle"},badge);
    }
    if(view.to-view.from<span)slice(chart,svg,view.from,view.to,{class:"window",y:15,height:46},3);
  }
  // The cells that are seen, each with its ends, and where `key` is the same as one range.
  function ranges(chart,key){
    const count=chart.cells.length,found=[];
    const first=Math.max(Math.floor(chart.t(0)/span*count),0);
    const last=Math.min(Math.ceil(chart.t(chart.width)/span*count),count);
    for(let i=first;i<last;i++){
      const now=key(chart.cells[i]);
      if(now===null)continue;
      const range=found.at(-1);
      if(range?.key===now&&range.end===i)range.end=i+1;
      else found.push({key:now,start:i,end:i+1});
    }
    return found;
  }
  const edge=(chart,i)=>chart.x(i/chart.cells.length*span).toFixed(1);
  function answers(chart,svg,height){
    for(const {key,start,end} of ranges(chart,cell=>cell===""?null:cell[0])){
      const x=Number(edge(chart,start)),width=edge(chart,end)-x;
      if(key==="x")hatch(svg,x,0,width,height);
      else add(svg,"rect",{class:"f-"+chart.names[Number(key)],x,width,height});
    }
  }
  function curve(chart,svg,height){
    const reach=height-18,values=chart.cells.map(number);
    const known=values.filter(value=>value!==null);
    let bottom=0,top=round(Math.max(chart.least,...known));
    if(chart.spread||chart.way){
      // Just around what is drawn, and 20 units at least.
      const [low,high]=[-1,1].map(sign=>Math[sign<0?"min":"max"](...values.flatMap((value,i)=>
        value===null?[]:[value+(chart.way?0:sign*chart.spread[i])])));
      const least=Math.max(high-low,20),step=round(least/16,[1,2,5,10]);
      bottom=Math.floor((low+high-least)/2/step)*step;
      top=bottom+2*step*Math.ceil(((low+high+least)/2-bottom)/2/step);
    }
    const y=value=>(height-(value-bottom)/(top-bottom)*reach).toFixed(1);
    for(const part of [0,.5,1])add(svg,"path",{
      class:part||bottom?"hair":"base",d:`M0 ${height-part*reach}H${chart.width}`});
    const middle=i=>edge(chart,i+.5);
    if(chart.way)slopes(chart,svg,values,height,y,middle);
    let dots="";
    for(const {start,end} of ranges(chart,cell=>cell===""?null:1)){
      const at=(i,value)=>`${middle(i)} ${y(value)}`,indices=[];
      for(let i=start;i<end;i++)indices.push(i);
      const line="M"+indices.map(i=>at(i,values[i])).join("L");
      if(chart.dots){
        dots+=indices.map(i=>`M${at(i,values[i])}h0`).join("");
        continue;
      }
      if(!chart.way){
        const around=chart.spread
          ?"M"+indices.map(i=>at(i,values[i]+chart.spread[i])).join("L")
            +"L"+indices.reverse().map(i=>at(i,values[i]-chart.spread[i])).join("L")+"Z"
          :line+`L${middle(end-1)} ${height}L${middle(start)} ${height}Z`;
        add(svg,"path",{class:chart.spread?"spread":"below",d:around});
      }
      add(svg,"path",{class:"curve",d:line});
    }
    if(dots)add(svg,"path",{class:"dots",d:dots});
    for(const part of chart.spread||chart.way?[0,.5,1]:[.5,1])add(svg,"text",{class:"halo",x:0,
      y:height-part*reach-4},counted(bottom+(top-bottom)*part)+(part===1?" "+chart.unit:""));
  }
  function point(chart,t){
    const {svg,width}=chart;
    if(!svg)return reading(chart,t);
    const x=chart.x(t),isLeft=x>width*.7,height=svg.viewBox.baseVal.height;
    const line=svg.querySelector(".cursor")??add(svg,"path",{class:"cursor"});
    const label=svg.querySelector(".reading")??add(svg,"text",{class:"reading halo"});
    line.setAttribute("d",`M${x.toFixed(1)} 0V${height-20}`);
    label.setAttribute("x",(isLeft?x-5:x+5).toFixed(1));
    label.setAttribute("y",chart.isStrip?9:12);
    label.setAttribute("text-anchor",isLeft?"end":"start");
    label.textContent=reading(chart,t);
    return label.textContent;
  }
  const sliders=[];
  let now=null;
  const seek=t=>{
    day.now=now=t=Math.min(Math.max(t,0),span);
    if(t<view.from||t>view.to)zoom(1);
    const found=items.find(({from,to})=>from<=t&&t<to)??items.at(-1)??day.whole;
    for(const {entry} of items)entry.classList.toggle("now",entry===found?.entry);
    const texts=charts.map(chart=>point(chart,t));
    texts.splice(1,0,found?.title);
    for(const slider of sliders){
      slider.value=t;
      slider.setAttribute("aria-valuetext",texts.filter(Boolean).join(", "));
    }
    day.spot?.(placeAt(day,t,found));
  };
  day.seek=seek;
  // A part of the time, around the cursor, of a minute at least.
  function zoom(factor){
    const length=Math.min(Math.max((view.to-view.from)/factor,Math.min(60,span)),span);
    const middle=now??(view.from+view.to)/2;
    view.from=Math.min(Math.max(middle-length/2,0),span-length);
    view.to=view.from+length;
    redraw();
  }
  function redraw(){
    for(const chart of charts)paint(chart);
    if(now!==null)for(const chart of charts)point(chart,now);
    day.paint();
  }
  for(const chart of charts){
    const at=event=>{
      const frame=chart.svg?.getBoundingClientRect();
      if(frame)seek(chart.t((event.clientX-frame.left)/frame.width*chart.width));
    };
    chart.to.addEventListener("pointermove",event=>{
      if(event.pointerType!=="touch"||event.buttons)at(event);
    });
    chart.to.addEventListener("pointerdown",at);
  }
  charts.slice(0,2).forEach(({to},index)=>{
    const slider=add(box,"input",{type:"range",class:"seek",min:0,max:span,
      step:Math.max(Math.round(span/880),1),value:0,"aria-label":"Time at the cursor"});
    slider.addEventListener("input",()=>seek(Number(slider.value)));
    slider.addEventListener("keydown",event=>{
      const factor={"+":2,"-":.5,"0":0}[event.key];
      if(factor===undefined)return;
      event.preventDefault();
      zoom(factor||1e-9);
    });
    if(index)to.before(slider);else to.after(slider);
    sliders.push(slider);
  });
  sliders.at(-1)?.before(buttons([
    ["+","Zoom in to the time at the cursor",()=>zoom(2)],
    ["−","Zoom out in time",()=>zoom(.5)],["⤢","Show the whole time",()=>zoom(1e-9)]]));
  resets.push(()=>{
    const kept={...view};
    Object.assign(view,{from:0,to:span});
    redraw();
    return()=>{Object.assign(view,kept);redraw()};
  });
  let width=0;
  new ResizeObserver(()=>{
    if(box.clientWidth===width)return;
    width=box.clientWidth;
    requestAnimationFrame(redraw);
  }).observe(box);
  redraw();
}
function buttons(list){
  const tools=document.createElement("div");
  tools.className="tools";
  for(const [text,label,act] of list)
    add(tools,"button",{type:"button","aria-label":label},text).addEventListener("click",act);
  return tools;
}
const radian=Math.PI/180,northing=degrees=>Math.log(Math.tan(Math.PI/4+degrees*radian/2));
// The courses and the places on Web Mercator (EPSG:3857), in `unit` metres from the first of them,
// to the east and to the south.
function locate(day){
  for(const line of day.lines){
    const sums=[0,0,0,0],size=line.course?.size;
    line.pieces=(line.course?.points.split(";")??[]).map(part=>{
      const numbers=part.split(" ").map(Number),points=[];
      for(let i=0;i<numbers.length;i+=size){
        for(let j=0;j<size;j++)sums[j]+=numbers[i+j];
        points.push({t:sums[0],lat:sums[1]/1e6,lon:sums[2]/1e6,height:size>3?sums[3]:null});
      }
      return points;
    });
    line.links=(line.links??[]).map(([lat,lon,toLat,toLon])=>[{lat,lon},{lat:toLat,lon:toLon}]);
  }
  const points=[...day.sites,...day.lines.flatMap(line=>[...line.pieces,...line.links].flat())];
  const origin=points[0];
  if(!origin)return;
  const metres=6378137*Math.cos(origin.lat*radian);
  const put=point=>{
    point.x=(((point.lon-origin.lon+540)%360+360)%360-180)*radian*metres;
    point.y=(northing(origin.lat)-northing(point.lat))*metres;
    return point;
  };
  points.forEach(put);
  const range=key=>points.reduce(([a,b],point)=>[Math.min(a,point[key]),Math.max(b,point[key])],
    [points[0][key],points[0][key]]);
  // A single place is shown with its surroundings too.
  const wide=([a,b])=>b-a<200?[(a+b)/2-100,(a+b)/2+100]:[a,b];
  const [west,east]=wide(range("x")),[north,south]=wide(range("y"));
  // A path has single precision.
  const unit=Math.max(Math.max(east-west,south-north)/6e4,.5);
  for(const point of points){point.x/=unit;point.y/=unit}
  day.bounds=[west,north,east,south].map(metre=>metre/unit);
  day.unit=unit;
  // Lines of a map as a path: each of the first place and the differences of the others.
  const path=text=>text.split(";").map(line=>{
    const numbers=line.split(" ").map(Number),found=[];
    for(let i=0,lat=0,lon=0;i<numbers.length;i+=2){
      lat+=numbers[i];
      lon+=numbers[i+1];
      const {x,y}=put({lat:lat/1e6,lon:lon/1e6});
      found.push((x/unit).toFixed(1)+" "+(y/unit).toFixed(1));
    }
    return"M"+found.join("L");
  }).join("");
  day.streets=day.streets?.map(({look,lines})=>({look,d:path(lines)}));
  for(const line of day.lines)if(line.route)line.route=path(line.route);
  day.world=[.5+origin.lon/360,.5-northing(origin.lat)/(2*Math.PI),unit/(2*Math.PI*metres)];
  for(const line of day.lines){
    const {pieces,links}=line,at=(one,other)=>one.lat===other.lat&&one.lon===other.lon;
    const [first,last]=[pieces[0]?.[0],pieces.at(-1)?.at(-1)];
    // The way may begin and end with a straight line.
    if(links.length)line.ends=[!first||at(links[0][1],first)?links[0][0]:first,
      !last||at(links.at(-1)[0],last)?links.at(-1)[1]:last];
  }
}
function placeAt(day,t,item){
  if(!item?.legs)return day.sites.find(({letter})=>letter===item?.badge)??null;
  let last=null;
  for(const {trip,pieces} of day.lines)if(trip===item.badge)for(const next of pieces.flat()){
    if(next.t>=t){
      if(!last)return next;
      const part=next.t>last.t?(t-last.t)/(next.t-last.t):1;
      return{x:last.x+(next.x-last.x)*part,y:last.y+(next.y-last.y)*part};
    }
    last=next;
  }
  return last;
}
function gpx(day){
  const plain=text=>text.replace(/[&<>"]/g,sign=>`&#${sign.charCodeAt(0)};`);
  const time=t=>day.zones
    ?`<time>${new Date((day.from+t)*1000).toISOString()}</time>`:"";
  const sites=day.sites.map(({lat,lon,letter,name})=>
    `<wpt lat="${lat}" lon="${lon}"><name>${plain(name??letter)}</name></wpt>\n`);
  const legs=day.lines.filter(({pieces})=>pieces.length).map(({trip,name,pieces})=>{
    const segments=pieces.map(points=>"<trkseg>\n"+points.map(point=>
      `<trkpt lat="${point.lat.toFixed(6)}" lon="${point.lon.toFixed(6)}">`
      +(point.height===null?"":`<ele>${point.height}</ele>`)+time(point.t)+"</trkpt>\n").join("")
      +"</trkseg>");
    return`<trk><name>Trip ${trip}, ${plain(name)}</name><type>${plain(name)}</type>`
      +segments.join("")+"</trk>\n";
  });
  return`<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="locomotion" `
    +`xmlns="http://www.topografix.com/GPX/1/1">\n${sites.join("")}${legs.join("")}</gpx>\n`;
}
function save(text,type,name){
  const link=document.createElement("a");
  link.href=URL.createObjectURL(new Blob([text],{type}));
  link.download=name;
  link.click();
  setTimeout(()=>URL.revokeObjectURL(link.href),1e4);
}
const fileName=(day,ending)=>
  (day.key||document.title).replace(/[^\p{L}\p{N}]+/gu,"-")+"."+ending;

// What the reader corrects: nothing is drawn anew before the file is analyzed with it.
const edits=[],earlier=report.corrections??{places:[],edits:[]};
let panel,lastPlace=Math.min(0,...earlier.places.map(({id})=>id));
function note(edit){
  // The last word about the same is the one that holds.
  const same=edits.findIndex(({kind,spans})=>kind===edit.kind&&String(spans)===String(edit.spans));
  if(same<0&&edit.value===null)return;
  // One that is changed keeps its turn.
  edits.splice(same<0?edits.length:same,same<0?0:1,...edit.value===null?[]:[edit]);
  tellEdits();
}
function tellEdits(){
  if(!panel){
    panel=add(all("main")[0],"aside",{class:"corrections","aria-label":"Corrections","aria-live":"polite"});
    add(panel,"ul");
    const isServed=report.pageToken!==undefined;
    const tools=buttons([isServed?["Send the corrections","Send the corrections to the server",sendEdits]
      :["Save the corrections","Save the corrections as a file",saveEdits]]);
    tools.lastChild.className="save";
    panel.append(tools);
    add(panel,"p",{class:"note"},isServed?"The page is drawn anew with them."
      :report.user===undefined?"Analyze the recording again with --corrections and this file."
        :"The journal takes this file with journal correct --file.");
  }
  const count=earlier.edits.length,list=panel.firstChild;
  panel.hidden=!edits.length&&!count;
  // What is pressed meanwhile stays where it is: only the list is made anew.
  list.replaceChildren();
  if(count)forget(add(list,"li",{},`${count} of before `),"Forget them",()=>{
    earlier.edits=[];
    earlier.places=[];
    tellEdits();
  });
  for(const edit of edits)forget(add(list,"li",{},edit.text+" "),"Undo",()=>{
    edit.undo?.();
    note({...edit,value:null});
  });
}
function forget(entry,text,act){
  add(entry,"button",{type:"button"},text).addEventListener("click",()=>{
    act();
    (all("button",panel).find(button=>button.offsetParent)??all("h1")[0]).focus();
  });
}
function writeEdits(){
  const places=[...earlier.places,...edits.flatMap(({place})=>place??[])];
  // Times are written as they are, to the nanosecond.
  const rows=[...earlier.edits,...edits.flatMap(({kind,spans,value})=>spans.map(([start,end])=>
    ({kind,start,end,value})))].map(({kind,start,end,value})=>
    `{"kind":"${kind}","start":${start},"end":${end},"value":${JSON.stringify(value)}}`);
  const head=JSON.stringify({corrections:1,recording:report.recording,user:report.user,places});
  return head.slice(0,-1)+`,"edits":[${rows.join(",")}]}\n`;
}
const saveEdits=()=>save(writeEdits(),"application/json",fileName({},"corrections.json"));
async function sendEdits(){
  const headers={"Content-Type":"application/json","X-Page-Token":report.pageToken};
  const answer=await fetch(location.href,{method:"POST",headers,body:writeEdits()}).catch(()=>null);
  if(answer?.ok)location.reload();
  else panel.lastChild.textContent="Not taken: "
    +((await answer?.json().catch(()=>null))?.error??"the server does not answer")+".";
}
function correct(box,day){
  const begin=buttons([["Correct","Correct what is listed",()=>{
    const isOn=box.classList.toggle("correcting");
    begin.firstChild.setAttribute("aria-pressed",isOn);
    if(isOn&&!all("form",box).length)day.items.forEach((item,index)=>forms(day,item,index));
  }]]);
  begin.firstChild.className="save";
  begin.firstChild.setAttribute("aria-pressed",false);
  box.prepend(begin);
}
function forms(day,item,index){
  const {kind,entry,ends,legs,title,badge,when}=item,{items,sites}=day;
  const form=add(entry.lastChild,"form"),what=`${title}, ${when.join("–")}`;
  form.addEventListener("submit",event=>event.preventDefault());
  const edit=(kind,value,start,end,text,more)=>note({kind,value,spans:[[start,end]],text,...more});
  const choose=(start,end,now,label)=>{
    const select=add(form,"select",{"aria-label":`Activity of ${label}`});
    for(const mode of modes.filter(mode=>mode!=="unnamed"||now===mode))
      add(select,"option",{value:mode},mode==="stationary"?"a stay":nameOf(mode));
    select.value=now;
    select.addEventListener("change",()=>edit("activity",select.value===now?null:select.value,start,end,
      `${label} is ${select.selectedOptions[0].textContent}`,{undo:()=>{select.value=now}}));
  };
  if(legs)legs.forEach((leg,i)=>choose(ends[i],ends[i+1],leg.activity,
    `trip ${badge}, ${leg.name} from ${day.clock(item.pieces[i][0])}`));
  else if(kind==="stay"){
    const site=sites.find(({letter})=>letter===badge);
    if(site)naming(site);
    choose(ends[0],ends.at(-1),"stationary",what);
  }
  function naming(site){
    const name=add(form,"input",{type:"text",value:item.place??"",placeholder:"Name of the place",
      maxlength:200,"aria-label":`Name of the place of ${what}`});
    // All the time that was spent there has one name.
    const stays=items.filter(other=>!other.legs&&other.badge===badge);
    (site.names??=[]).push(name);
    const show=text=>{for(const field of site.names)field.value=text};
    name.addEventListener("change",()=>{
      const text=name.value.trim()||(item.place??""),isNew=text!==(item.place??"");
      show(text);
      site.id??=--lastPlace;
      note({kind:"place",value:isNew?String(site.id):null,spans:stays.map(({ends})=>ends),
        text:`${title} is “${text}”`,undo:()=>show(item.place??""),
        place:{id:site.id,name:text,lat:site.lat,lon:site.lon,
          radius:Math.min(Math.max(site.radius,30),1000)}});
    });
  }
  const next=items[index+1],last=items[index-1];
  const press=(text,label,act)=>add(form,"button",{type:"button","aria-label":`${label}: ${what}`},text)
    .addEventListener("click",act);
  if(next&&next.kind!=="gap"&&kind!=="gap")press("Join with the next","Join with the next",()=>
    edit(kind,"",ends[0],next.ends.at(-1),`${what} goes on until ${next.when[1]}`));
  const isBetween=last&&next&&last.kind===next.kind&&![kind,last.kind].includes("gap");
  if(isBetween)press("Not there","Part of what is around it",()=>
    edit(last.kind,"",last.ends[0],next.ends.at(-1),`${what} is a part of what is around it`));
  if(kind!=="gap")press("Split at the cursor","Split at the cursor",({target})=>{
    const isInside=day.now>item.from&&day.now<item.to;
    target.textContent=isInside?"Split at the cursor":"First move the cursor into it";
    if(!isInside)return;
    const at=String(day.from+Math.round(day.now));
    edit("split","",at,at,`${what} is two from ${day.clock(day.now)} on`);
  });
}
// The map, which moves below the pins that stay as large as they are.
function start(day,box){
  const {bounds,unit,sites,lines,units:[nearName,near,farName,far]}=day;
  const [west,north,east,south]=bounds,address=report.tiles;
  const name="Map of the track";
  const kilometres=metres=>(metres*unit/far).toFixed(1)+" "+farName;
  const svg=add(box,"svg",{class:"plan",role:"img"});
  add(svg,"title",{},name);
  add(svg,"desc",{},`North is up. The track covers ${kilometres(east-west)} from west to east and `
    +`${kilometres(south-north)} from south to north; places are marked by letters, trips by numbers.`);
  const ground=add(svg,"rect",{class:"ground",rx:10});
  const grid=add(svg,address?"g":"path",{class:address?"tiles":"grid"});
  const moved=add(svg,"g",{class:"moved"}),shapes=add(moved,"g",{});
  const pins=add(svg,"g",{class:"pins"}),dot=add(svg,"circle",{class:"spot",r:6});
  const bar=add(svg,"path",{class:"scale"});
  const length=add(svg,"text",{class:"halo ground-halo length",x:22});
  const compass=add(svg,"g",{});
  add(compass,"path",{class:"north",d:"M0 14L5 28L0 25L-5 28Z"});
  add(compass,"text",{class:"halo ground-halo",y:41,"text-anchor":"middle"},"N");
  const path=pieces=>pieces.map(points=>
    "M"+points.map(({x,y})=>`${x.toFixed(1)} ${y.toFixed(1)}`).join("L")).join("");
  for(const {look,d} of day.streets??[])add(shapes,"path",{class:"street "+look,d});
  if(day.streets)grid.setAttribute("visibility","hidden");
  const reaches=sites.map(({x,y,radius})=>
    ({r:radius/unit,circle:add(shapes,"circle",{class:"reach",cx:x,cy:y,r:radius/unit})}));
  const legs=lines.filter(({pieces,links})=>pieces.length||links.length).map(line=>{
    const {trip,tip,activity:style,pieces,links,ends,metres=0}=line;
    const group=add(shapes,"g",{class:"leg","data-t":trip});
    add(group,"title",{},tip);
    const paths=(of,names)=>names.map(name=>add(group,"path",{class:name,d:path(of)}));
    const link=links.length?paths(links,["casing","link s-"+style])[0]:null;
    if(line.route)add(group,"path",{class:"route s-"+style,d:line.route});
    const own=pieces.length?paths(pieces,["casing","under s-"+style,"track s-"+style])[0]:link;
    return{trip,style,path:own,ends,metres,length:own.getTotalLength()};
  });
  let k=1,x=0,y=0,waits=false,width=0,height=0,scale=1,left=0,top=0,most=4;
  const isLarge=()=>box.classList.contains("large");
  // Fits everything into the width that there is, and into the window where it is enlarged.
  function fit(){
    const wide=box.clientWidth;
    if(!wide)return;
    const margin=wide>480?40:30,ratio=(south-north)/(east-west);
    width=wide;
    height=isLarge()?innerHeight-90:Math.round(Math.min(Math.max(wide*ratio,wide*.6),wide*1.15,
      Math.max(innerHeight*.85,340)));
    scale=Math.min((width-2*margin)/Math.max(east-west,1e-6),
      (height-2*margin)/Math.max(south-north,1e-6));
    left=width/2-(west+east)/2*scale;
    top=height/2-(north+south)/2*scale;
    most=Math.max(4,4*unit/scale);
    svg.setAttribute("viewBox",`0 0 ${width} ${height}`);
    ground.setAttribute("width",width);
    ground.setAttribute("height",height);
    shapes.setAttribute("transform",`translate(${left} ${top}) scale(${scale})`);
    length.setAttribute("y",height-22);
    compass.setAttribute("transform",`translate(${width-22} 0)`);
    // A circle that the marker would cover is left out.
    for(const {r,circle} of reaches)
      circle.setAttribute("visibility",r*scale>14&&r*unit<1e6?"visible":"hidden");
    reset();
  }
  const tools=buttons([["+","Zoom in",()=>zoom(1.6,width/2,height/2)],
    ["−","Zoom out",()=>zoom(1/1.6,width/2,height/2)],["⤢","Show everything",()=>reset()],
    ["Large","Enlarge the map",()=>enlarge()]]);
  tools.lastChild.className="save";
  function enlarge(isAsked=!isLarge()){
    box.classList.toggle("large",isAsked);
    tools.lastChild.setAttribute("aria-pressed",isAsked);
    fit();
  }
  if(day.trips.length&&lines.some(({pieces})=>pieces.length)){
    const button=add(tools,"button",
      {type:"button",class:"save","aria-label":"Save the trips as GPX"},"GPX");
    button.addEventListener("click",
      ()=>save(gpx(day),"application/gpx+xml",fileName(day,"gpx")));
    tools.prepend(button);
  }
  box.append(tools);
  box.classList.add("live");
  box.tabIndex=0;
  box.setAttribute("role","group");
  box.setAttribute("aria-label",name
    +"; arrow keys move it, plus and minus zoom, 0 shows everything");
  function update(){
    k=Math.min(Math.max(k,1),most);
    x=Math.min(Math.max(x,width*(1-k)),0);
    y=Math.min(Math.max(y,height*(1-k)),0);
    moved.setAttribute("transform",`translate(${x} ${y}) scale(${k})`);
    box.classList.toggle("zoomed",k>1);
    if(waits)return;
    waits=true;
    requestAnimationFrame(()=>{waits=false;draw()});
  }
  function zoom(factor,toX,toY){
    const next=Math.min(Math.max(k*factor,1),most);
    x=toX-(toX-x)*next/k;
    y=toY-(toY-y)*next/k;
    k=next;
    update();
  }
  function move(byX,byY){x+=byX;y+=byY;update()}
  function reset(){k=1;x=0;y=0;update()}
  resets.push(()=>{
    const kept=[k,x,y];
    enlarge(false);
    draw();
    return()=>{[k,x,y]=kept;update()};
  });
  const at=point=>({x:(point.x*scale+left)*k+x,y:(point.y*scale+top)*k+y});
  const on=(leg,length)=>at(leg.path.getPointAtLength(length));
  let spot=null;
  const mark=()=>{
    const point=spot&&at(spot),isSeen=point&&inside(point);
    dot.setAttribute("visibility",isSeen?"visible":"hidden");
    if(isSeen){dot.setAttribute("cx",point.x);dot.setAttribute("cy",point.y)}
  };
  day.spot=place=>{spot=place;mark()};
  svg.addEventListener("pointermove",event=>{
    if(event.buttons)return;
    const here=local(event);
    let least=14,found=null;
    for(const points of lines.flatMap(({pieces})=>pieces))for(let i=1;i<points.length;i++){
      const from=at(points[i-1]),to=at(points[i]),over=to.x-from.x,down=to.y-from.y;
      const along=(here.x-from.x)*over+(here.y-from.y)*down,all=over*over+down*down;
      const part=all>0?Math.min(Math.max(along/all,0),1):0;
      const far=Math.hypot(from.x+part*over-here.x,from.y+part*down-here.y);
      if(far>=least)continue;
      least=far;
      found=points[i-1].t+(points[i].t-points[i-1].t)*part;
    }
    if(found!==null)day.seek(found);
  });
  const inside=(point,edge=0)=>point.x>=edge&&point.y>=edge&&point.x<=width-edge
    &&point.y<=height-edge;
  function draw(){
    pins.replaceChildren();
    const labels=[],put=point=>`translate(${point.x.toFixed(1)} ${point.y.toFixed(1)})`;
    legs.forEach((leg,index)=>ways(leg,index,put));
    const places=markers();
    milestones(places);
    for(const pill of places){
      if(!inside(pill))continue;
      const half=5.5+5.5*pill.letters.length;
      pill.x=Math.min(Math.max(pill.x,half+4),width-half-4);
      labels.push({x:pill.x,y:pill.y,w:half,h:11});
      const group=add(pins,"g",{class:"pill",transform:put(pill)});
      add(group,"title",{},pill.tip);
      add(group,"rect",{class:"place",x:-half,y:-11,width:2*half,height:22,rx:11});
      add(group,"text",{class:"mark",y:4.3,"text-anchor":"middle"},pill.letters);
    }
    numbers(labels,put);
    ruler();
    tiles();
    mark();
    day.paint();
  }
  function ways(leg,index,put){
    const total=leg.length*scale*k,far=3/(scale*k);
    const count=total>26?Math.min(Math.max(Math.round(total/72),1),60):0;
    for(let i=0;i<count;i++){
      const length=leg.length*(i+.5)/count,point=on(leg,length);
      if(!inside(point))continue;
      const [a,b]=[on(leg,length-far),on(leg,length+far)];
      const turn=Math.atan2(b.y-a.y,b.x-a.x)*180/Math.PI;
      add(pins,"path",{class:"arrow f-"+leg.style,"data-t":leg.trip,d:"M-4-4.5L5 0L-4 4.5Z",
        transform:`${put(point)} rotate(${turn.toFixed(1)})`});
    }
    for(const [style,length,other,end] of [["from",0,legs[index-1],0],
      ["to",leg.length,legs[index+1],1]]){
      const point=leg.ends?at(leg.ends[end]):on(leg,length);
      if(other?.trip!==leg.trip&&inside(point))add(pins,"circle",{
        class:`end ${style} s-${leg.style}`,"data-t":leg.trip,cx:point.x,cy:point.y,r:3.6});
    }
  }
  // The kilometres or miles of each trip on foot or by bicycle, every second or fifth where they are close.
  function milestones(places){
    let trip=null,before=0;
    for(const leg of legs){
      if(leg.trip!==trip)before=0;
      trip=leg.trip;
      const apart=leg.metres?leg.length*scale*k*far/leg.metres:0;
      const every=apart?[1,2,5,10,20,50,100].find(count=>count*apart>40):0;
      for(let n=Math.floor(before/far)+1;every&&n*far<=before+leg.metres;n++){
        if(n%every)continue;
        const point=on(leg,leg.length*(n*far-before)/leg.metres);
        const isCovered=places.some(({x,y})=>Math.hypot(x-point.x,y-point.y)<30);
        if(isCovered||!inside(point,8))continue;
        add(pins,"circle",{class:"milestone s-"+leg.style,cx:point.x,cy:point.y,r:2.4});
        add(pins,"text",{class:"halo ground-halo",x:point.x,y:point.y-6,"text-anchor":"middle"},n);
      }
      before+=leg.metres;
    }
  }
  function markers(){
    const pills=[];
    for(const site of sites){
      const point=at(site);
      const near=pills.find(pill=>Math.hypot(pill.x-point.x,pill.y-point.y)<24);
      if(near){near.letters+=" "+site.letter;near.tip+="; "+site.tip}
      else pills.push({...point,letters:site.letter,tip:site.tip});
    }
    return pills;
  }
  function numbers(labels,put){
    const longest=new Map();
    for(const leg of legs)
      if(!(longest.get(leg.trip)?.length>=leg.length))longest.set(leg.trip,leg);
    for(const [trip,leg] of longest){
      if(leg.length*scale*k<12)continue;
      const half=4.5+4*trip.length;
      for(const part of [.5,.42,.58,.35,.65,.27,.73,.2,.8,.12,.88]){
        const point=on(leg,leg.length*part),label={...point,w:half+1,h:9.5};
        if(!inside(point,11)||labels.some(other=>Math.abs(other.x-label.x)<other.w+label.w
          &&Math.abs(other.y-label.y)<other.h+label.h))continue;
        labels.push(label);
        const group=add(pins,"g",{class:"number","data-t":trip,transform:put(point)});
        add(group,"rect",{class:"s-"+leg.style,x:-half,y:-8.5,width:2*half,height:17,rx:8.5});
        add(group,"text",{y:4,"text-anchor":"middle"},trip);
        break;
      }
    }
  }
  function ruler(){
    const metre=scale/unit*k,limit=width/4.5/metre;
    const isFar=limit>=far,base=isFar?far:near,most=limit/base;
    const power=10**Math.max(Math.floor(Math.log10(most)),0);
    const count=power*(most>=5*power?5:most>=2*power?2:1),step=count*base*metre;
    bar.setAttribute("d",`M16 ${height-21}v5h${step.toFixed(1)}v-5`);
    length.textContent=count+" "+(isFar?farName:nearName);
    if(address)return;
    let lines="";
    for(let a=((x%step)+step)%step;a<width;a+=step)lines+=`M${a.toFixed(1)} 0V${height}`;
    for(let b=((y%step)+step)%step;b<height;b+=step)lines+=`M0 ${b.toFixed(1)}H${width}`;
    grid.setAttribute("d",lines);
  }
  function tiles(){
    if(!address)return;
    const layer=grid,[originX,originY,each]=day.world;
    const step=each/scale,fromX=originX-left*step,fromY=originY-top*step;
    const depth=Math.min(Math.max(Math.round(Math.log2(k/(256*step))),0),19),count=2**depth;
    const side=k/(count*step),wanted=new Map();
    for(let b=Math.max(Math.floor((fromY-y/k*step)*count),0);b<count;b++){
      const down=(b/count-fromY)/step*k+y;
      if(down>height)break;
      for(let a=Math.floor((fromX-x/k*step)*count);;a++){
        const over=(a/count-fromX)/step*k+x;
        if(over>width)break;
        wanted.set(address.replaceAll("{z}",depth).replaceAll("{y}",b)
          .replaceAll("{x}",(a%count+count)%count),[over,down]);
      }
    }
    for(const image of [...layer.children]){
      const address=image.getAttribute("href");
      if(wanted.has(address))place(image,wanted.get(address)),wanted.delete(address);
      else image.remove();
    }
    for(const [href,point] of wanted)place(add(layer,"image",{href}),point);
    function place(image,[over,down]){
      for(const [name,value] of [["x",over],["y",down],["width",side],["height",side]])
        image.setAttribute(name,value.toFixed(2));
    }
  }
  const fingers=new Map();
  const local=event=>{
    const frame=svg.getBoundingClientRect();
    return{x:(event.clientX-frame.left)*width/frame.width,
      y:(event.clientY-frame.top)*height/frame.height};
  };
  const ended=event=>{fingers.delete(event.pointerId)};
  svg.addEventListener("pointerdown",event=>{
    if(event.pointerType==="mouse"&&event.button!==0)return;
    fingers.set(event.pointerId,local(event));
  });
  svg.addEventListener("pointermove",event=>{
    const last=fingers.get(event.pointerId);
    if(!last)return;
    const next=local(event);
    if(fingers.size===2){
      const [id]=[...fingers.keys()].filter(id=>id!==event.pointerId),still=fingers.get(id);
      const span=point=>Math.hypot(point.x-still.x,point.y-still.y);
      zoom(span(next)/Math.max(span(last),1),(next.x+still.x)/2,(next.y+still.y)/2);
      move((next.x-last.x)/2,(next.y-last.y)/2);
    }else if(k>1&&(svg.hasPointerCapture(event.pointerId)
      ||Math.hypot(next.x-last.x,next.y-last.y)>4)){
      svg.setPointerCapture(event.pointerId);
      move(next.x-last.x,next.y-last.y);
    }else return;
    day.isDragged=true;
    fingers.set(event.pointerId,next);
  });
  for(const name of ["pointerup","pointercancel","pointerleave"])
    svg.addEventListener(name,ended);
  svg.addEventListener("dblclick",event=>{
    const point=local(event);
    zoom(event.shiftKey?.5:2,point.x,point.y);
  });
  svg.addEventListener("wheel",event=>{
    const isAsked=event.ctrlKey||event.metaKey||box.contains(document.activeElement);
    if(!isAsked||k===1&&event.deltaY>0)return;
    event.preventDefault();
    const point=local(event),pixels=event.deltaY*(event.deltaMode===1?16:1);
    zoom(Math.exp(-Math.min(Math.max(pixels,-200),200)*.004),point.x,point.y);
  },{passive:false});
  box.addEventListener("keydown",event=>{
    if(event.ctrlKey||event.metaKey||event.altKey)return;
    const step=60,moves={ArrowLeft:[step,0],ArrowRight:[-step,0],ArrowUp:[0,step],
      ArrowDown:[0,-step]}[event.key];
    if(moves&&k>1)move(...moves);
    else if(event.key==="+"||event.key==="=")zoom(1.6,width/2,height/2);
    else if(event.key==="-")zoom(1/1.6,width/2,height/2);
    else if(event.key==="0"||event.key==="Home")reset();
    else if(event.key==="Escape"&&isLarge())enlarge(false);
    else return;
    event.preventDefault();
  });
  let before=0;
  new ResizeObserver(()=>{
    if(box.clientWidth===before)return;
    before=box.clientWidth;
    requestAnimationFrame(fit);
  }).observe(box);
  addEventListener("resize",()=>{if(isLarge())fit()});
  fit();
  draw();
}
// The whole page.
const main=all("main")[0],top=add(main,"header");
add(add(top,"p",{class:"eyebrow"}),"bdi",{},report.eyebrow);
add(add(top,"h1"),"bdi",{},report.heading);
if(report.lede)add(add(top,"p",{class:"lede"}),"bdi",{},report.lede);
if(report.figures.length){
  const list=add(top,"dl",{class:"figures"});
  for(const [name,value,note] of report.figures){
    const figure=add(list,"div"),shown=(add(figure,"dt",{},name),add(figure,"dd"));
    shown.append(value.replaceAll(" ","\u00a0"));
    add(shown,"small",{},note);
  }
}
fill(main,report.blocks,2);
add(add(main,"footer"),"p",{},report.footer);
if(earlier.edits.length)tellEdits();
const unfold=()=>{
  const fold=document.getElementById(location.hash.slice(1))?.closest("details");
  if(!fold)return;
  fold.open=true;
  fold.scrollIntoView();
};
addEventListener("hashchange",unfold);
unfold();
let restores=[];
addEventListener("beforeprint",()=>{
  restores=[];
  for(const details of all("details:not([open]):not(.day)")){
    details.open=true;
    restores.push(()=>{details.open=false});
  }
  restores.push(...resets.map(reset=>reset()));
});
addEventListener("afterprint",()=>{
  for(const restore of restores)restore();
  restores=[];
});
})();
